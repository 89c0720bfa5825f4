/**
 * Keeps the last uses of keys in memory until they are stored. The row of each key is on a different page. The embedded
 * store therefore writes all last uses together, every few minutes, in the order of the rows. A last use is only
 * displayed, so it may be lost if the process is killed.
 */
import { type KeyCell, keyUsedEveryMs } from '#store/ledger/state-types.ts'

/**
 * The interval at which last uses are stored, and the minimum time between two recorded uses of a key. The two times
 * add up to the precision `keyUsedEveryMs`.
 */
export const keyUsesEveryMs = keyUsedEveryMs / 2

/** Beyond this number, each batch stores the last uses of its keys, as on PostgreSQL. */
const waitingMax = 50_000

/** A transaction of this many keys takes only a few milliseconds. */
const partMax = 500

export class KeyUses {
  #waiting = new Map<string, KeyCell>()
  /** The keys that are being stored, in ID order, which is the order of the table's rows. */
  #sorted: KeyCell[] = []

  get isFull(): boolean {
    return this.#waiting.size >= waitingMax
  }

  use(key: KeyCell, nowMs: number): void {
    const { lastUsedAtMs } = key
    if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < keyUsesEveryMs) return
    key.lastUsedAtMs = nowMs
    this.keep([key])
  }

  /** Empty if all last uses are stored. */
  takePart(): readonly KeyCell[] {
    if (this.#sorted.length === 0 && this.#waiting.size > 0) {
      this.#sorted = [...this.#waiting.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
      this.#waiting = new Map()
    }
    return this.#sorted.splice(0, partMax)
  }

  /** Call this function also with keys that could not be stored. */
  keep(keys: readonly KeyCell[]): void {
    for (const key of keys) this.#waiting.set(key.id, key)
  }
}
