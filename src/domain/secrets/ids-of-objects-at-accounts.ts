import type { Account } from '#domain/billing/money-account-key.ts'
import type { KeyRing } from './encrypt-stored-secrets.ts'
import { OwnedIds } from './ids-that-only-owner-can-use.ts'

export interface AccountObject {
  /** Hash of the account that has the object (`Plan.fileOrigin`). */
  readonly origin: string
  /** The provider's ID of the object. */
  readonly id: string
}

/** Creates the IDs that clients receive for objects of one kind, and reads the state that an ID contains. */
export class AccountObjectIds {
  readonly #ids: OwnedIds

  constructor(ring: KeyRing, purpose: string) {
    this.#ids = new OwnedIds(ring, purpose)
  }

  /** Repeated calls return the same ID. */
  tagOf(owner: Account, prefix: string, { id, origin }: AccountObject): string {
    return this.#ids.idOf(owner, prefix, JSON.stringify([origin, id]))
  }

  open(owner: Account, prefix: string, text: string): AccountObject | null {
    const state = this.#ids.stateOf(owner, prefix, text)
    if (state === null) return null
    // The cast is safe, because the HMAC is valid, so `tagOf` wrote the text.
    const [origin, id] = JSON.parse(state) as [origin: string, id: string]
    return { origin, id }
  }
}
