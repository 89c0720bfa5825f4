/**
 * The IDs that clients receive for responses that a provider stores:
 *
 *   resp_<base64url of: 16 bytes of HMAC-SHA-256, JSON of the state>
 *
 * The HMAC binds the state to an application, an end user and a mode, so that only this end user can use the ID. The
 * gateway stores nothing. Apart from a hash of the target, the state contains only values that the client knows.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Account } from '#domain/accounts/account.ts'
import { derivedSecret } from './derived-secret.ts'
import type { KeyRing } from './encryption.ts'

/** The state of a response that a provider stores. */
export interface StoredState {
  /** Hash of the account and the model that returned the response (`Plan.stateOrigin`). */
  readonly origin: string
  /** The model name that the client requested. */
  readonly alias: string
  /** Input and output tokens of the response. Null if the ID was sent to the client before the response ended. */
  readonly tokens: number | null
  /** The provider's ID of the response. */
  readonly id: string
  /**
   * ID of the call that holds money for the response, for a response in the background. Null for any other response,
   * because it has ended when the client uses its ID.
   */
  readonly callId: string | null
}

/**
 * Creates the IDs and opens them. Every key of the key ring opens IDs, so that older IDs remain valid after the master
 * key is replaced.
 */
export class StateTags {
  readonly #keys: readonly [string, ...string[]]

  constructor(ring: KeyRing) {
    const older = [...ring.keys.keys()].filter((id) => id !== ring.currentId)
    const keyOf = (currentId: string): string => derivedSecret({ ...ring, currentId }, 'stored state')
    this.#keys = [keyOf(ring.currentId), ...older.map(keyOf)]
  }

  /** Returns the same ID for the same state and owner. */
  tagOf(owner: Account, { alias, callId, id, origin, tokens }: StoredState): string {
    const values = [origin, tokens, alias, id]
    const state = Buffer.from(JSON.stringify(callId === null ? values : [...values, callId]))
    return prefix + Buffer.concat([codeOf(this.#keys[0], owner, state), state]).toString('base64url')
  }

  /**
   * Returns null for any other text. The time that this takes does not reveal whether the ID belongs to another owner.
   */
  open(owner: Account, text: string): StoredState | null {
    const encoded = text.slice(prefix.length, prefix.length + encodedMax)
    const bytes = Buffer.from(encoded, 'base64url')
    const state = bytes.subarray(codeBytes)
    const stated = Buffer.alloc(codeBytes)
    bytes.copy(stated)
    const found = this.#keys.map((key) => timingSafeEqual(codeOf(key, owner, state), stated))
    // Decoding base64url ignores some characters and bits, so check that the text is in the one valid spelling.
    const isSpelt = text === prefix + bytes.toString('base64url')
    return isSpelt && found.includes(true) ? stateOf(state) : null
  }
}

const prefix = 'resp_'
const codeBytes = 16
/** Maximum length of an ID: more than a model name of 128 characters, at six bytes each, and any vendor's ID need. */
const encodedMax = 2048

function codeOf(key: string, { applicationId, endUserId, mode }: Account, state: Uint8Array): Buffer {
  const owner = JSON.stringify([applicationId, endUserId, mode])
  return createHmac('sha256', key).update(owner).update(state).digest().subarray(0, codeBytes)
}

/** The HMAC is valid, so `tagOf` wrote the text. */
function stateOf(state: Buffer): StoredState {
  const [origin, tokens, alias, id, callId = null] = JSON.parse(state.toString()) as [
    string,
    number | null,
    string,
    string,
    string?,
  ]
  return { origin, tokens, alias, id, callId }
}
