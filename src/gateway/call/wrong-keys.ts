import { hash } from 'node:crypto'
import { Failure } from '#domain/errors.ts'
import type { Directory } from '#domain/gateway-directory.ts'
import { HashLookup } from '#domain/secrets/hash-lookup.ts'

export interface WrongKeyLimits {
  /** Wrong keys of one network at one application, which are looked up immediately. */
  readonly perSecond: number
  /** Maximum number of such wrong keys in a burst after a pause. */
  readonly burst: number
  /** How long further keys wait for their common lookup, in milliseconds. */
  readonly pauseMs: number
}

/**
 * Limits the wrong keys of each network at an application (docs/reference/threats.md "A flood of wrong keys").
 *
 * After too many wrong keys, further unknown keys of the network are looked up together, and wrong ones are rejected. A
 * valid key is always served, so no network can lock out its neighbors.
 *
 * The counts are a table of fixed size with one number for each cell. Networks with the same cell share its limit. A
 * network could share a cell with a flood, and the only effect is the status of its own wrong keys.
 */
export class WrongKeys {
  readonly #limits: WrongKeyLimits
  readonly #monotonicMs: () => number
  readonly #lookup: HashLookup
  /** By cell, the time at which the whole burst is available again. 8 MiB, which the system provides when it is used. */
  readonly #wholeAtMs = new Float64Array(cells)

  constructor(
    limits: WrongKeyLimits,
    ports: { readonly directory: Pick<Directory, 'keysAmong'>; readonly monotonicMs: () => number },
  ) {
    this.#limits = limits
    this.#monotonicMs = ports.monotonicMs
    this.#lookup = new HashLookup({
      find: (hashes) => ports.directory.keysAmong(hashes),
      pauseMs: limits.pauseMs,
    })
  }

  /**
   * Resolves if the key may be read.
   * @param place the network and the application
   * @throws Failure `rate_limited` if the place has sent too many wrong keys, and this key is wrong too
   */
  async admit(place: string, keyHash: string): Promise<void> {
    const { burst, perSecond } = this.#limits
    const remaining = burst - this.#used(cellOf(place))
    if (remaining >= 1 || (await this.#lookup.has(keyHash))) return
    throw new Failure('rate_limited', { retryAfterSeconds: Math.ceil((1 - remaining) / perSecond) })
  }

  /** Counts a wrong key. */
  note(place: string): void {
    const cell = cellOf(place)
    const { burst, perSecond } = this.#limits
    const used = Math.min(burst, this.#used(cell) + 1)
    this.#wholeAtMs[cell] = this.#monotonicMs() + (used / perSecond) * 1000
  }

  /** Returns the number of wrong keys that still count. */
  #used(cell: number): number {
    const waitMs = (this.#wholeAtMs[cell] ?? 0) - this.#monotonicMs()
    return (Math.max(0, waitMs) / 1000) * this.#limits.perSecond
  }
}

/** A flood from a million networks uses most cells. */
const cells = 2 ** 20

function cellOf(place: string): number {
  return hash('sha1', place, 'buffer').readUInt32LE() % cells
}
