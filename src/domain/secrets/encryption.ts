/**
 * Secrets that must be read again (provider credentials) are stored encrypted: AES-256-GCM under a master key.
 *
 *   v1.<key id>.<iv>.<ciphertext>.<tag>        each part base64url
 *
 * The organization and the id of the owner are authenticated with it, so that an encrypted text copied to
 * another row cannot be decrypted. The key ring may hold old keys, which only decrypt; the key id tells which.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** The owner of an encrypted secret: it is decrypted for no other. */
export interface SecretOwner {
  readonly organizationId: string
  /** Id of the provider account (or whatever else holds the secret). */
  readonly id: string
}

export interface KeyRing {
  /** The key that encrypts. */
  readonly currentId: string
  /** Every key that decrypts, 32 bytes each, by its id. */
  readonly keys: ReadonlyMap<string, Buffer>
}

const version = 'v1'
const keyBytes = 32
// 96 bits, as NIST SP 800-38D 8.2.2 wants for random IVs; safe for 2^32 texts per key, which no
// installation reaches with one for each credential entered.
const ivBytes = 12
// Checked when decrypting too: Node otherwise accepts a tag cut down to 4 bytes (docs/reference/threats.md
// "Sealed credentials").
const authTagLength = 16
const part = /^[A-Za-z0-9_-]*$/

/**
 * Reads master keys from their text: base64 of 32 bytes each, separated by commas or white space. The
 * first one encrypts; the others are older ones that still decrypt.
 * @throws Error with a sentence for the operator; it never quotes the text
 */
export function keyRing(text: string): KeyRing {
  const keys = new Map<string, Buffer>()
  let currentId: string | null = null
  for (const encoded of text.split(/[\s,]+/)) {
    if (encoded === '') continue
    const key = Buffer.from(encoded, 'base64')
    if (key.length !== keyBytes) {
      throw new Error(
        `A master key must be base64 of ${keyBytes} bytes; make one with: openssl rand -base64 32`,
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

/** Encrypts a secret for its owner under the current key. One text is never encrypted the same way twice. */
export function encrypt(ring: KeyRing, plaintext: string, owner: SecretOwner): string {
  const key = ring.keys.get(ring.currentId)
  if (!key) throw new Error('The key ring does not hold its current key.')
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength })
  cipher.setAAD(associatedData(owner))
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return [version, ring.currentId, encode(iv), encode(ciphertext), encode(cipher.getAuthTag())].join('.')
}

/** The id of the key that a text was encrypted under; null: it is no encrypted text. */
export function encryptionKeyId(encrypted: string): string | null {
  const [head, keyId] = encrypted.split('.')
  return head === version && keyId !== undefined ? keyId : null
}

/** The text, or null when it was encrypted for another owner, under a key not held, or changed since. */
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
    // `final` throws when the tag does not fit.
    return null
  }
}

/** JSON, because it keeps two texts apart wherever one of them ends. */
function associatedData({ organizationId, id }: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([version, organizationId, id]), 'utf8')
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64url')
}
