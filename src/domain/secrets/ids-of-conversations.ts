import type { Account } from '#domain/billing/money-account-key.ts'
import { AccountObjectIds, type AccountObject } from './ids-of-objects-at-accounts.ts'
import type { KeyRing } from './encrypt-stored-secrets.ts'

/**
 * Creates the IDs that clients receive for conversations that a provider stores, and reads the state that an ID
 * contains.
 */
export class ConversationTags {
  readonly #ids: AccountObjectIds

  constructor(ring: KeyRing) {
    this.#ids = new AccountObjectIds(ring, 'conversations')
  }

  tagOf(owner: Account, conversation: AccountObject): string {
    return this.#ids.tagOf(owner, prefix, conversation)
  }

  open(owner: Account, text: string): AccountObject | null {
    return this.#ids.open(owner, prefix, text)
  }
}

const prefix = 'conv_'
