/**
 * Keeps the last uses of keys in memory until they are stored. The row of each key is on a different database page. The
 * embedded store therefore writes the last uses of all keys together, every few minutes and in the order of the rows.
 * The last use of a key is shown to people and decides nothing. If the process is killed, the last uses that are not
 * stored are lost.
 */
import { type KeyCell, keyUsedEveryMs } from '#store/ledger/state-types.ts'

/**
 * The interval at which last uses are stored. The same time must pass between two recorded uses of a key. The two times
 * add up to the precision `keyUsedEveryMs`.
 */
export const keyUsesEveryMs = keyUsedEveryMs / 2

/**
 * Maximum number of last uses in memory. If the maximum is reached, each batch stores the last uses of its keys, as on
 * PostgreSQL.
 */
const waitingMax = 50_000

/** Maximum number of keys in one transaction, so that the transaction takes only a few milliseconds. */
const partMax = 500

export class KeyUses {
  #waiting = new Map<string, KeyCell>()
  /** The keys that are being stored, in the order of their IDs, in which the table stores its rows. */
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

  /** Returns the next keys whose last uses must be stored. Empty if all last uses are stored. */
  takePart(): readonly KeyCell[] {
    if (this.#sorted.length === 0 && this.#waiting.size > 0) {
      this.#sorted = [...this.#waiting.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
      this.#waiting = new Map()
    }
    return this.#sorted.splice(0, partMax)
  }

  /**
   * Keeps the last uses of these keys until they are stored. Call this function also with keys that could not be
   * stored.
   */
  keep(keys: readonly KeyCell[]): void {
    for (const key of keys) this.#waiting.set(key.id, key)
  }
}
