import * as fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { countAtMost, countText } from './tokenizer.ts'

test('the count of ordinary text equals the tokenizer’s count', () => {
  const text = 'The service sits between a product and the model providers, and meters 1,234 calls.\n'
  expect(countText(text)).toBe(encode(text).length)
  expect(countText('<|endoftext|>')).toBeGreaterThan(1)
})

test('if the NFKC form of a text has more tokens than the text, the tokens of the NFKC form are counted', () => {
  expect(countAtMost('\ufdfa'.repeat(2000))).toBe(countText('\ufdfa'.repeat(2000).normalize('NFKC')))
  expect(countAtMost('Hello there')).toBe(countText('Hello there'))
})

test('the count of a text is never below the tokenizer’s count and never above the number of bytes', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc
      .tuple(fc.constantFrom('a', '一', '7', ' ', '{', '👍'), fc.integer({ min: 1, max: 900 }))
      .map(([c, n]) => c.repeat(n)),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join('').toWellFormed()
      const counted = countText(text)
      expect(counted).toBeLessThanOrEqual(Buffer.byteLength(text))
      expect(counted).toBeGreaterThanOrEqual(encode(text, { disallowedSpecial: new Set() }).length)
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['one letter', 'a'.repeat(1_000_000)],
  ['letters of another script', '一'.repeat(300_000)],
  ['white space', ' '.repeat(500_000)],
  ['signs', '{'.repeat(500_000)],
  ['runs just short of the guard', `${'a'.repeat(511)} `.repeat(512)],
])('a very long text (%s) is counted within the deadline', (_, text) => {
  countText('warm')
  withinCpu(2500, () => countText(text))
})
