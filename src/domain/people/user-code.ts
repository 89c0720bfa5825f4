/**
 * Codes that people read on one device and type on another (RFC 8628, 6.1): eight of twenty consonants, which
 * spell no words, and none of which is taken for another. 20^8 codes are 34.6 bits, which is enough for ten
 * minutes and few tries (docs/reference/threats.md "Codes that people type").
 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** `WDJB-MJHT`. @param chance of a CSPRNG, byte by byte */
export function makeUserCode(chance: { randomByte(): number }): string {
  let code = ''
  while (code.length < length) {
    const byte = chance.randomByte()
    // 240 = 12 x 20: a larger byte would make the first letters likelier than the rest.
    if (byte < 240) code += letters[byte % letters.length]
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** A code in its one spelling, however it was typed; null: it is none. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '')
  const isCode = code.length === length && Array.from(code).every((letter) => letters.includes(letter))
  return isCode ? `${code.slice(0, 4)}-${code.slice(4)}` : null
}
