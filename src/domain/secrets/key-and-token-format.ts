/**
 * Reads and creates two kinds of secrets: `ak_` keys of end users and `sk_` tokens of customers.
 *
 *   ak_<code>_[test_]<30 base62><6 base62 checksum>      sk_<code>_<30 base62><6 base62 checksum>
 *
 * 30 base-62 characters have 178 random bits, so secrets are stored as a single SHA-256. Only guessable secrets need a
 * slow hash (docs/reference/threats.md "How keys are stored"). The checksum is the CRC-32 of everything before it. By
 * the checksum, a mistyped or truncated secret is detected before any look-up. Secret scanners use the checksum to
 * recognize real secrets.
 */
import { crc32 } from 'node:zlib'

export type SecretKind = 'ak' | 'sk'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
const codePattern = /^[a-z0-9]{4,12}$/

export interface ParsedSecret {
  readonly kind: SecretKind
  readonly code: string
  readonly isTest: boolean
}

/**
 * Returns a new secret, and the parts of the secret that may be shown.
 * @param randomByte returns the next byte of a CSPRNG
 */
export function makeSecret(
  { kind, code, isTest }: ParsedSecret,
  randomByte: () => number,
): { secret: string; prefix: string; lastFour: string } {
  let random = ''
  while (random.length < randomLength) {
    const byte = randomByte()
    // 248 is 4 x 62, so each character has four byte values. If larger bytes were used, the first characters would be
    // more likely than the other characters.
    if (byte < 248) random += base62[byte % 62]
  }
  const head = `${kind}_${code}_${isTest ? 'test_' : ''}`
  const body = head + random
  const secret = body + checksumOf(body)
  return { secret, prefix: head + random.slice(0, 6), lastFour: secret.slice(-4) }
}

/** Null for a malformed or mistyped secret. */
export function parseSecret(text: string): ParsedSecret | null {
  const kind = text.startsWith('ak_') ? 'ak' : text.startsWith('sk_') ? 'sk' : null
  if (!kind || text.length > 64) return null
  const codeEnd = text.indexOf('_', 3)
  if (codeEnd < 0) return null
  const code = text.slice(3, codeEnd)
  const isTest = text.startsWith('test_', codeEnd + 1)
  const random = codeEnd + 1 + (isTest ? 5 : 0)
  if (text.length !== random + randomLength + checksumLength || !codePattern.test(code)) return null
  const bodyEnd = random + randomLength
  if (checksumOf(text.slice(0, bodyEnd)) !== text.slice(bodyEnd)) return null
  return { kind, code, isTest }
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let out = ''
  for (let i = 0; i < checksumLength; i++) {
    out = base62[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}
