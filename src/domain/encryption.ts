/**
 * Secrets that must be read again (provider credentials) rest sealed: AES-256-GCM under a master key.
 *
 *   v1.<key id>.<iv>.<ciphertext>.<tag>        each part base64url
 *
 * The organization and the id of the owner are authenticated with it, so that a sealed text copied to
 * another row does not open. The key ring may hold old keys, which only open; the key id tells which.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** What a sealed text belongs to. It opens for no one else. */
export interface SealOwner {
  readonly organizationId: string
  /** Id of the provider account (or whatever else holds the secret). */
  readonly id: string
}

export interface KeyRing {
  /** The key that seals. */
  readonly currentId: string
  /** Every key that opens, 32 bytes each, by its id. */
  readonly keys: ReadonlyMap<string, Buffer>
}

const version = 'v1'
const keyBytes = 32
// 96 bits, as NIST SP 800-38D 8.2.2 wants for random IVs; safe for 2^32 sealings per key, which no
// installation reaches with one sealing per credential entered.
const ivBytes = 12
// Said when opening too: Node otherwise takes a tag cut down to 4 bytes (threats.md 110).
const authTagLength = 16
const part = /^[A-Za-z0-9_-]*$/

/**
 * Reads master keys from their text: base64 of 32 bytes each, separated by commas or white space. The
 * first one seals; the others are older ones that still open.
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

/** The text of a new master key. */
export function newMasterKey(): string {
  return randomBytes(keyBytes).toString('base64')
}

/** Seals a text for its owner under the current key. Two seals of one text differ. */
export function seal(ring: KeyRing, plaintext: string, owner: SealOwner): string {
  const key = ring.keys.get(ring.currentId)
  if (!key) throw new Error('The key ring does not hold its current key.')
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength })
  cipher.setAAD(associatedData(owner))
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return [version, ring.currentId, encode(iv), encode(ciphertext), encode(cipher.getAuthTag())].join('.')
}

/** The id of the key that a text was sealed under; null: it is no sealed text. */
export function sealedUnder(sealed: string): string | null {
  const [head, keyId] = sealed.split('.')
  return head === version && keyId !== undefined ? keyId : null
}

/** The text, or null when it was sealed for another owner, under a key not held, or changed since. */
export function open(ring: KeyRing, sealed: string, owner: SealOwner): string | null {
  const [head, keyId, iv, ciphertext, tag, ...rest] = sealed.split('.')
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
    // `final` throws when the tag does not fit, and says no more than that.
    return null
  }
}

/** JSON, because it keeps two texts apart wherever one of them ends. */
function associatedData({ organizationId, id }: SealOwner): Buffer {
  return Buffer.from(JSON.stringify([version, organizationId, id]), 'utf8')
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64url')
}
