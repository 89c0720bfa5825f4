import { hash } from 'node:crypto'
import { Failure } from '#domain/errors.ts'
import type { Directory } from '#domain/gateway-directory-interface.ts'
import { HashLookup } from '#domain/secrets/batched-hash-look-ups.ts'

export interface WrongKeyLimits {
  /** Up to this rate, the keys of one network are looked up immediately. */
  readonly network: WrongKeyRate
  /** Up to this rate, the keys of all networks together are looked up immediately. */
  readonly all: WrongKeyRate
  /** How long unknown keys are collected for a batched lookup. */
  readonly pauseMs: number
}

interface WrongKeyRate {
  readonly perSecond: number
  /** Maximum number of wrong keys in a burst after a pause. */
  readonly burst: number
}

/**
 * Limits the wrong keys of each network at an application (docs/reference/threats.md "A flood of wrong keys").
 *
 * If a network has sent too many wrong keys, its unknown keys are looked up in batches. The wrong keys of such a
 * network are rejected with `rate_limited`. If all networks together have sent too many, all unknown keys are looked up
 * in batches. A valid key is always served, so no network can lock out its neighbors.
 *
 * The counts are a table of fixed size, and each network belongs to one cell. Networks with the same cell share one
 * limit. A network that shares a cell with a flooding network can still use valid keys. Only its wrong keys get
 * `rate_limited` instead of `invalid_key`.
 */
export class WrongKeys {
  readonly #limits: WrongKeyLimits
  readonly #monotonicMs: () => number
  readonly #lookup: HashLookup
  /**
   * When each cell allows a whole burst of wrong keys again. The last cell counts all networks together. The operating
   * system allocates these 8 MiB only when they are used.
   */
  readonly #wholeAtMs = new Float64Array(cells + 1)

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
   * Returns true if a batched lookup has shown that the key is wrong. If the result is false, the calling code must
   * read the key.
   * @param place identifies the network and the application
   * @throws Failure `rate_limited` if the key is wrong and its network has sent too many wrong keys to the application
   */
  async isWrong(place: string, keyHash: string): Promise<boolean> {
    const { all, network } = this.#limits
    const remaining = network.burst - this.#used(cellOf(place), network)
    if (remaining >= 1 && all.burst - this.#used(cells, all) >= 1) return false
    if (await this.#lookup.has(keyHash)) return false
    if (remaining >= 1) return true
    throw new Failure('rate_limited', { retryAfterSeconds: Math.ceil((1 - remaining) / network.perSecond) })
  }

  note(place: string): void {
    this.#count(cellOf(place), this.#limits.network)
    this.#count(cells, this.#limits.all)
  }

  #count(cell: number, rate: WrongKeyRate): void {
    const used = Math.min(rate.burst, this.#used(cell, rate) + 1)
    this.#wholeAtMs[cell] = this.#monotonicMs() + (used / rate.perSecond) * 1000
  }

  /** Number of wrong keys that still count toward the cell's burst. */
  #used(cell: number, { perSecond }: WrongKeyRate): number {
    const waitMs = (this.#wholeAtMs[cell] ?? 0) - this.#monotonicMs()
    return (Math.max(0, waitMs) / 1000) * perSecond
  }
}

/** A flood from a million networks uses most of the cells. */
const cells = 2 ** 20

function cellOf(place: string): number {
  return hash('sha1', place, 'buffer').readUInt32LE() % cells
}
