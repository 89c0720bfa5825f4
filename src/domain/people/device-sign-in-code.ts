/**
 * Codes that users read on one device and type on another (RFC 8628, 6.1). A code has eight letters out of twenty
 * consonants. Consonants alone form no words, and users do not confuse these twenty consonants with each other. A code
 * has 34.6 bits (20^8 codes). This is enough for ten minutes and a few attempts (docs/reference/threats.md "Codes for
 * device sign-ins").
 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** Returns a code such as `WDJB-MJHT`. @param chance returns random bytes from a CSPRNG */
export function makeUserCode(chance: { randomByte(): number }): string {
  let code = ''
  while (code.length < length) {
    const byte = chance.randomByte()
    // 240 is 12 x 20, so each letter has twelve byte values. If larger bytes were used, the first letters would be more
    // likely than the other letters.
    if (byte < 240) code += letters[byte % letters.length]
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** Returns a code in its normal form, regardless of how it was typed. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '')
  const isCode = code.length === length && Array.from(code).every((letter) => letters.includes(letter))
  return isCode ? `${code.slice(0, 4)}-${code.slice(4)}` : null
}
