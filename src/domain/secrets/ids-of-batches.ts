import type { Account } from '#domain/billing/money-account-key.ts'
import type { BatchFormat } from '#domain/accounts/provider-kinds.ts'
import type { KeyRing } from './encrypt-stored-secrets.ts'
import { OwnedIds } from './ids-that-only-owner-can-use.ts'

/**
 * Creates and checks the IDs that clients receive for batches. All other data about a batch is in the list of batches.
 */
export class BatchTags {
  readonly #ids: OwnedIds

  constructor(ring: KeyRing) {
    this.#ids = new OwnedIds(ring, 'batches')
  }

  /** Repeated calls return the same ID. */
  tagOf(owner: Account, format: BatchFormat, accountId: string, providerId: string): string {
    return this.#ids.idOf(owner, prefixes[format], JSON.stringify([accountId, providerId]))
  }

  isOwn(owner: Account, format: BatchFormat, text: string): boolean {
    return this.#ids.stateOf(owner, prefixes[format], text) !== null
  }
}

/** Some clients recognize an ID by the prefix of the vendor's IDs. */
const prefixes: Readonly<Record<BatchFormat, string>> = {
  anthropic: 'msgbatch_',
  openai: 'batch_',
}
