import { StoreUnavailable } from '#domain/ledger.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Store } from '#domain/store.ts'

/** Maximum number of credentials in one query. A store prepares one statement for each number. */
export const batchMax = 100

interface Waiting {
  readonly hash: string
  readonly resolve: (isValid: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Finds the valid credentials among those of an address that has used up its wrong attempts.
 *
 * Many legitimate callers may share an address, such as an office or a proxy. Strangers there must not lock them out,
 * and a flood of wrong credentials must not become a flood of lookups. So one query runs at a time, for all credentials
 * that wait for it. The store alone decides: after a restart, or in another process, the same callers are served.
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

  /** @throws StoreUnavailable if the lookup fails, which does not make the credential wrong */
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
