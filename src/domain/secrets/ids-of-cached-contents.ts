import type { Account } from '#domain/billing/money-account-key.ts'
import type { KeyRing } from './encrypt-stored-secrets.ts'
import { OwnedIds } from './ids-that-only-owner-can-use.ts'

export interface CachedState {
  /** Hash of the account and the model that store the content (`Plan.cacheOrigin`). */
  readonly origin: string
  readonly alias: string
  /** The provider's name of the cached content. */
  readonly name: string
  readonly tokens: number
  /** Maximum number of these tokens that can be audio. */
  readonly audioTokens: number
  /** Maximum number of these tokens that can be images. */
  readonly imageTokens: number
}

/**
 * Creates the IDs that clients receive for cached content, and reads the state that an ID contains. An ID contains the
 * size of the content. The hold of a request with this content can therefore be computed without a read of the store.
 */
export class CacheTags {
  readonly #ids: OwnedIds

  constructor(ring: KeyRing) {
    this.#ids = new OwnedIds(ring, 'cached contents')
  }

  /** Returns an ID that contains the state and that only the owner can use. Repeated calls return the same ID. */
  tagOf(owner: Account, { alias, audioTokens, imageTokens, name, origin, tokens }: CachedState): string {
    const state: Stored = [origin, alias, name, tokens, audioTokens, imageTokens]
    return this.#ids.idOf(owner, '', JSON.stringify(state))
  }

  /** Returns null for any text that is not an ID of this owner. */
  open(owner: Account, text: string): CachedState | null {
    const state = this.#ids.stateOf(owner, '', text)
    if (state === null) return null
    // The cast is safe, because the HMAC is valid, so `tagOf` wrote the text.
    const [origin, alias, name, tokens, audioTokens, imageTokens] = JSON.parse(state) as Stored
    return { origin, alias, name, tokens, audioTokens, imageTokens }
  }
}

type Stored = [
  origin: string,
  alias: string,
  name: string,
  tokens: number,
  audioTokens: number,
  imageTokens: number,
]
