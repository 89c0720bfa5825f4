/**
 * IDs that only their owner can use have this form:
 *
 * <prefix><base64url of: 16 bytes of HMAC-SHA-256, the state>
 *
 * Because of the HMAC, only one end user of one application can use the ID, in one mode. The HMAC also protects the
 * state from changes. The gateway stores nothing, and treats every other text as an unknown ID.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Account } from '#domain/billing/money-account-key.ts'
import { derivedSecret } from './secret-derived-from-master-key.ts'
import type { KeyRing } from './encrypt-stored-secrets.ts'

/**
 * Creates the IDs of one purpose, and reads the state that an ID contains. An ID is accepted if any key of the key ring
 * created it. Older IDs therefore remain valid after the master key is replaced.
 */
export class OwnedIds {
  readonly #keys: readonly [string, ...string[]]

  constructor(ring: KeyRing, purpose: string) {
    const older = [...ring.keys.keys()].filter((id) => id !== ring.currentId)
    const keyOf = (currentId: string): string => derivedSecret({ ...ring, currentId }, purpose)
    this.#keys = [keyOf(ring.currentId), ...older.map(keyOf)]
  }

  /** Only this owner can use the ID. Repeated calls return the same ID. */
  idOf(owner: Account, prefix: string, state: string): string {
    const bytes = Buffer.from(state)
    return prefix + Buffer.concat([codeOf(this.#keys[0], owner, bytes), bytes]).toString('base64url')
  }

  /**
   * Null if the text is not an ID of this owner and prefix. The duration of this check does not reveal whether the ID
   * belongs to another owner.
   */
  stateOf(owner: Account, prefix: string, text: string): string | null {
    const encoded = text.slice(prefix.length, prefix.length + encodedMax)
    const bytes = Buffer.from(encoded, 'base64url')
    const state = bytes.subarray(codeBytes)
    const stated = Buffer.alloc(codeBytes)
    bytes.copy(stated)
    const found = this.#keys.map((key) => timingSafeEqual(codeOf(key, owner, state), stated))
    // Decoding base64url ignores some characters and bits, so check that the text is in the one valid spelling.
    const isSpelt = text === prefix + bytes.toString('base64url')
    return isSpelt && found.includes(true) ? state.toString() : null
  }
}

const codeBytes = 16
/** Long enough for a model name of 128 characters, at six bytes each, and for any vendor's ID. */
const encodedMax = 2048

function codeOf(key: string, { applicationId, endUserId, mode }: Account, state: Uint8Array): Buffer {
  const owner = JSON.stringify([applicationId, endUserId, mode])
  return createHmac('sha256', key).update(owner).update(state).digest().subarray(0, codeBytes)
}
