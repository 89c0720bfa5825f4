import { StoreUnavailable } from '#domain/ledger.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Store } from '#domain/store.ts'

/**
 * Maximum number of credentials in one query. The store prepares a separate SQL statement for each number of
 * credentials.
 */
export const batchMax = 100

interface Waiting {
  readonly hash: string
  readonly resolve: (isValid: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Finds the valid credentials among requests from an address that has sent too many wrong ones.
 *
 * Many legitimate callers may share an address, such as an office or a proxy. Strangers at that address must not lock
 * these callers out, and a flood of wrong credentials must not cause a flood of lookups. So only one query runs at a
 * time, for all credentials that wait for it. Only stored data decides, so the same callers are served after a restart
 * and in other processes.
 */
export class ValidCredentials {
  readonly #read: Pick<Store['read'], 'credentials'>
  readonly #nowMs: () => number
  #waiting: Waiting[] = []
  #isReading = false

  constructor({ nowMs, store }: { readonly nowMs: () => number; readonly store: Pick<Store, 'read'> }) {
    this.#read = store.read
    this.#nowMs = nowMs
  }

  /** @throws StoreUnavailable if the lookup fails; the credential then does not count as wrong */
  has(credential: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash: sha256(credential), resolve, reject })
      if (!this.#isReading) void this.#readAll()
    })
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax)
      try {
        const hashes = [...new Set(batch.map(({ hash }) => hash))]
        // oxlint-disable-next-line no-await-in-loop -- one query at a time
        const valid = await this.#read.credentials.validAmong(hashes, this.#nowMs())
        for (const { hash, resolve } of batch) resolve(valid.has(hash))
      } catch (cause) {
        for (const { reject } of batch) reject(new StoreUnavailable('look up credentials', { cause }))
      }
    }
    this.#isReading = false
  }
}
