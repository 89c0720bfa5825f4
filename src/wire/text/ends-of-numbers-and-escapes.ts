import type { ByteText } from './byte-text.ts'

/** Even an RSA modulus of 4,096 bits has only 1,234 digits. */
export const numberBytesMax = 4096

/**
 * Reads a number up to the maximum length.
 * @returns the position where the number ends; 0 if no number starts here; the negated position if the number is
 *   invalid
 */
export function numberEnd(text: ByteText, start: number): number {
  const limit = start + numberBytesMax
  let at = start
  if (text.charCodeAt(at) === 0x2d) at++
  if (text.charCodeAt(at) === 0x30) at++
  else if (isDigit(text.charCodeAt(at))) at = digitsEnd(text, at, limit)
  else return 0
  if (text.charCodeAt(at) === 0x2e) {
    at++
    if (!isDigit(text.charCodeAt(at))) return -at
    at = digitsEnd(text, at, limit)
  }
  const exponent = text.charCodeAt(at)
  if (exponent === 0x65 || exponent === 0x45) {
    at++
    if (text.charCodeAt(at) === 0x2b || text.charCodeAt(at) === 0x2d) at++
    if (!isDigit(text.charCodeAt(at))) return -at
    at = digitsEnd(text, at, limit)
  }
  return at
}

/**
 * Returns the position where an escape ends, or -1 if the escape is invalid. `at` is the character after the backslash.
 */
export function escapeEnd(text: ByteText, at: number): number {
  const escaped = text.charCodeAt(at)
  if (escaped !== 0x75) return isEscape(escaped) ? at + 1 : -1
  for (let i = 1; i <= 4; i++) if (!isHex(text.charCodeAt(at + i))) return -1
  return at + 5
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function digitsEnd(text: ByteText, from: number, limit: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at)) && at < limit) at++
  return at
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
}

const escapes = new Uint8Array(256)
for (const character of '"\\/bfnrt') escapes[character.charCodeAt(0)] = 1

function isEscape(byte: number): boolean {
  return escapes[byte] === 1
}
