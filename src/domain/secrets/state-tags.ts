/**
 * IDs of responses that a provider stores, as clients get them:
 *
 *   resp_<base64url of: 16 bytes of HMAC-SHA-256, JSON of the state>
 *
 * The code binds the state to an application, an end user and a mode, so that only this end user can use the ID. The
 * gateway stores nothing. The state names the target by a hash, and contains nothing else that the client does not
 * know.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Account } from '#domain/accounts/account.ts'
import { derivedSecret } from './derived-secret.ts'
import type { KeyRing } from './encryption.ts'

/** A response that a provider stores. */
export interface StoredState {
  /** Hash of the account and the model (`Plan.stateOrigin`). */
  readonly origin: string
  /** The model name that the client requested. */
  readonly alias: string
  /** Input and output tokens of the response. Null if the ID was given out before the response ended. */
  readonly tokens: number | null
  /** The provider's ID. */
  readonly id: string
}

/** Creates and opens the IDs. Every key of the ring opens them, so that a new master key keeps the older IDs valid. */
export class StateTags {
  readonly #keys: readonly [string, ...string[]]

  constructor(ring: KeyRing) {
    const older = [...ring.keys.keys()].filter((id) => id !== ring.currentId)
    const keyOf = (currentId: string): string => derivedSecret({ ...ring, currentId }, 'stored state')
    this.#keys = [keyOf(ring.currentId), ...older.map(keyOf)]
  }

  /** Returns the same text for the same state and owner. */
  tagOf(owner: Account, { alias, id, origin, tokens }: StoredState): string {
    const state = Buffer.from(JSON.stringify([origin, tokens, alias, id]))
    return prefix + Buffer.concat([codeOf(this.#keys[0], owner, state), state]).toString('base64url')
  }

  /** Returns null for any other text. The work does not depend on whether another owner could open it. */
  open(owner: Account, text: string): StoredState | null {
    const encoded = text.slice(prefix.length, prefix.length + encodedMax)
    const bytes = Buffer.from(encoded, 'base64url')
    const state = bytes.subarray(codeBytes)
    const stated = Buffer.alloc(codeBytes)
    bytes.copy(stated)
    const found = this.#keys.map((key) => timingSafeEqual(codeOf(key, owner, state), stated))
    // Decoding ignores some characters and bits, and only one spelling is valid.
    const isSpelt = text === prefix + bytes.toString('base64url')
    return isSpelt && found.includes(true) ? stateOf(state) : null
  }
}

const prefix = 'resp_'
const codeBytes = 16
/** More than a model name of 128 characters, in six bytes each, and any vendor's ID need. */
const encodedMax = 2048

function codeOf(key: string, { applicationId, endUserId, mode }: Account, state: Uint8Array): Buffer {
  const owner = JSON.stringify([applicationId, endUserId, mode])
  return createHmac('sha256', key).update(owner).update(state).digest().subarray(0, codeBytes)
}

/** The code is valid, so `tagOf` wrote the text. */
function stateOf(state: Buffer): StoredState {
  const [origin, tokens, alias, id] = JSON.parse(state.toString()) as [string, number | null, string, string]
  return { origin, tokens, alias, id }
}
