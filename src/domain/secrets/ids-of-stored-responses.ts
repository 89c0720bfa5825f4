import type { Account } from '#domain/billing/money-account-key.ts'
import type { KeyRing } from './encrypt-stored-secrets.ts'
import { OwnedIds } from './ids-that-only-owner-can-use.ts'

export interface StoredState {
  /** Hash of the account and the model that returned the response (`Plan.stateOrigin`). */
  readonly origin: string
  readonly alias: string
  /** Input and output tokens of the response. Null if the ID had to be sent to the client before the response ended. */
  readonly tokens: number | null
  /** The provider's ID of the response. */
  readonly id: string
  /**
   * For a response that is generated in the background, the ID of the call that holds money. Null for any other
   * response, because such a response has ended before the client uses its ID.
   */
  readonly callId: string | null
}

/**
 * Creates the IDs that clients receive for responses that a provider stores, and reads the state that an ID contains.
 * Apart from a hash of the target, the state contains only values that the client knows.
 */
export class StateTags {
  readonly #ids: OwnedIds

  constructor(ring: KeyRing) {
    this.#ids = new OwnedIds(ring, 'stored state')
  }

  /** Returns the same ID for the same state and owner. */
  tagOf(owner: Account, { alias, callId, id, origin, tokens }: StoredState): string {
    const values = [origin, tokens, alias, id]
    return this.#ids.idOf(owner, prefix, JSON.stringify(callId === null ? values : [...values, callId]))
  }

  /** Returns null for any text that is not an ID of this owner. */
  open(owner: Account, text: string): StoredState | null {
    const state = this.#ids.stateOf(owner, prefix, text)
    if (state === null) return null
    // The cast is safe, because the HMAC is valid, so `tagOf` wrote the text.
    const [origin, tokens, alias, id, callId = null] = JSON.parse(state) as Stored
    return { origin, tokens, alias, id, callId }
  }
}

type Stored = [origin: string, tokens: number | null, alias: string, id: string, callId?: string]

const prefix = 'resp_'
