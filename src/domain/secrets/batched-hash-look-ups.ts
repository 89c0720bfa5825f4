import { StoreUnavailable } from '#domain/ledger-interface.ts'

/** Maximum number of hashes in one query. The store prepares a separate SQL statement for each number of hashes. */
export const batchMax = 100

interface Waiting {
  readonly hash: string
  readonly resolve: (isFound: boolean) => void
  readonly reject: (error: unknown) => void
}

export interface HashLookupOptions {
  readonly find: (hashes: readonly string[]) => Promise<ReadonlySet<string>>
  /** The time before each round of queries, in milliseconds. Defaults to 0. */
  readonly pauseMs?: number
}

/**
 * Finds the valid secrets among the requests from an address that has sent too many wrong secrets.
 *
 * In an office or behind a proxy, many legitimate callers share one address. Strangers at that address must not lock
 * out these callers. A flood of wrong secrets must not cause a flood of lookups. Only one query therefore runs at a
 * time, for all waiting secrets. The result depends only on stored data, and is therefore the same after a restart and
 * in every process.
 *
 * A pause before each round of queries slows down guessing. A client that waits for each response can try only one
 * secret per pause and connection.
 */
export class HashLookup {
  readonly #find: HashLookupOptions['find']
  readonly #pauseMs: number
  #waiting: Waiting[] = []
  #isReading = false

  constructor({ find, pauseMs = 0 }: HashLookupOptions) {
    this.#find = find
    this.#pauseMs = pauseMs
  }

  /**
   * @param hash SHA-256 of a whole secret
   * @throws StoreUnavailable if the store cannot be read; the secret then does not count as wrong
   */
  has(hash: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, resolve, reject })
      if (!this.#isReading) void this.#readAll()
    })
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    while (this.#waiting.length > 0) {
      if (this.#pauseMs > 0) {
        // oxlint-disable-next-line no-await-in-loop -- the pause before this round
        await new Promise((resolve) => setTimeout(resolve, this.#pauseMs))
      }
      const round = this.#waiting
      this.#waiting = []
      while (round.length > 0) {
        // oxlint-disable-next-line no-await-in-loop -- one query at a time
        await this.#read(round.splice(0, batchMax))
      }
    }
    this.#isReading = false
  }

  async #read(batch: readonly Waiting[]): Promise<void> {
    try {
      const found = await this.#find([...new Set(batch.map(({ hash }) => hash))])
      for (const { hash, resolve } of batch) resolve(found.has(hash))
    } catch (cause) {
      for (const { reject } of batch) reject(new StoreUnavailable('look up secrets', { cause }))
    }
  }
}
