/**
 * Secrets that must be read again (provider credentials) are stored encrypted, with AES-256-GCM under a master key, in
 * this form:
 *
 *   v1.<key id>.<iv>.<ciphertext>.<tag>        each part base64url
 *
 * The encryption also authenticates the organization and the owner's ID. An encrypted text that was copied to another
 * row therefore cannot be decrypted. The key ring may contain old keys, which only decrypt. A text is decrypted with
 * the key whose ID the text contains.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** For another owner, the secret cannot be decrypted. */
export interface SecretOwner {
  readonly organizationId: string
  readonly id: string
}

export interface KeyRing {
  readonly currentId: string
  /** Each key has 32 bytes. */
  readonly keys: ReadonlyMap<string, Buffer>
}

const version = 'v1'
const keyBytes = 32
// Random IVs are safe for up to 2^32 texts per key. No installation reaches that number, because each stored credential
// is one text.
const ivBytes = 12
// Decryption also checks this length, because Node would accept a tag that was shortened to 4 bytes
// (docs/reference/threats.md "Sealed credentials").
const authTagLength = 16
const part = /^[A-Za-z0-9_-]*$/

/**
 * Reads master keys from text: base64 of 32 bytes each, separated by commas or white space. New secrets are encrypted
 * with the first key. All other keys are older keys, which only decrypt stored secrets.
 * @throws Error with a sentence for the operator; the sentence never quotes the text
 */
export function keyRing(text: string): KeyRing {
  const keys = new Map<string, Buffer>()
  let currentId: string | null = null
  for (const encoded of text.split(/[\s,]+/)) {
    if (encoded === '') continue
    const key = Buffer.from(encoded, 'base64')
    if (key.length !== keyBytes) {
      throw new Error(
        `A master key must be base64 of ${keyBytes} bytes. Create one with openssl rand -base64 32`,
      )
    }
    const id = createHash('sha256').update(key).digest('hex').slice(0, 8)
    keys.set(id, key)
    currentId ??= id
  }
  if (currentId === null) throw new Error('The master key is empty.')
  return { currentId, keys }
}

export function newMasterKey(): string {
  return randomBytes(keyBytes).toString('base64')
}

/** If the same text is encrypted again, the result differs. */
export function encrypt(ring: KeyRing, plaintext: string, owner: SecretOwner): string {
  const key = ring.keys.get(ring.currentId)
  if (!key) throw new Error('The key ring does not hold its current key.')
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength })
  cipher.setAAD(associatedData(owner))
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return [version, ring.currentId, encode(iv), encode(ciphertext), encode(cipher.getAuthTag())].join('.')
}

export function encryptionKeyId(encrypted: string): string | null {
  const [head, keyId] = encrypted.split('.')
  return head === version && keyId !== undefined ? keyId : null
}

/** Null if the text was changed, or was encrypted for another owner or under an unknown key. */
export function decrypt(ring: KeyRing, encrypted: string, owner: SecretOwner): string | null {
  const [head, keyId, iv, ciphertext, tag, ...rest] = encrypted.split('.')
  if (head !== version || rest.length > 0) return null
  if (keyId === undefined || iv === undefined || ciphertext === undefined || tag === undefined) return null
  const key = ring.keys.get(keyId)
  if (!key || ![iv, ciphertext, tag].every((text) => part.test(text))) return null
  const ivRaw = Buffer.from(iv, 'base64url')
  const tagRaw = Buffer.from(tag, 'base64url')
  if (ivRaw.length !== ivBytes || tagRaw.length !== authTagLength) return null
  const decipher = createDecipheriv('aes-256-gcm', key, ivRaw, { authTagLength })
  decipher.setAAD(associatedData(owner))
  decipher.setAuthTag(tagRaw)
  try {
    const plaintext = Buffer.concat([decipher.update(ciphertext, 'base64url'), decipher.final()])
    return plaintext.toString('utf8')
  } catch {
    // `final` throws if the tag does not match.
    return null
  }
}

/** Use JSON, because JSON separates the organization's ID and the owner's ID unambiguously. */
function associatedData({ organizationId, id }: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([version, organizationId, id]), 'utf8')
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64url')
}
