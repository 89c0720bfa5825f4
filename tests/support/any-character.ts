import assert from 'node:assert/strict'
import fc from 'fast-check'

/** Half characters, which are not among the code points that `anyCharacter` generates. */
const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Generates any Unicode character, for strings such as `fc.string({ unit: anyCharacter })`. With `unit: 'binary'`,
 * fast-check would create a table of all 1.1 million characters in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map(characterAt, (character) => indexOf(String(character)))

function characterAt(index: number): string {
  return String.fromCodePoint(index < firstSurrogate ? index : index + surrogates)
}

/** fast-check calls `indexOf` to shrink a string with which a test failed. */
function indexOf(character: string): number {
  const code = character.codePointAt(0) ?? 0
  const index = code < firstSurrogate ? code : code - surrogates
  assert.equal(characterAt(index), character)
  return index
}
