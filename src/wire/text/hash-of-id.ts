import { byteTextOf } from './byte-text.ts'

/**
 * Returns the hash of a text: 24 characters of [0-9a-z]. With this hash, an ID that a wire does not accept gets the
 * same short form in every turn of a conversation. Do not use the hash for secrets. End users who find two texts with
 * the same hash can only mix up IDs in their own conversation.
 */
export function hashOf(text: string): string {
  const bytes = byteTextOf(text)
  let hash = ''
  for (const seed of [0x9e3779b1, 0x85ebca77]) hash += hash53(bytes, seed).toString(36).padStart(12, '0')
  return hash
}

/** cyrb53 (public domain, bryc): 53 bits, two rounds of multiply and xor per byte. */
function hash53(bytes: string, seed: number): number {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ seed
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charCodeAt(i)
    high = Math.imul(high ^ byte, 2654435761)
    low = Math.imul(low ^ byte, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0)
}
