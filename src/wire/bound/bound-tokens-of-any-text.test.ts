import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { countText } from '#app/tokenizer.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { countsOf, thirdsOf, thirdsOfText, tokensFromThirds } from './bound-tokens-of-any-text.ts'

/** Characters that NFKC expands, composes, reorders and separates. */
const piece = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.constantFrom(
    '\ufdfa',
    'é',
    'ǖ',
    'ᾂ',
    '각',
    '\u1100\u1161\u11a8',
    'ｶﾞ',
    '①',
    'ﬃ',
    '½',
    'a',
    ' ',
    '👍',
    '一',
  ),
  fc.constantFrom('\u0301', '\u0323', '\u0327', '\u0304', '\u0308', '\u0345', '\u05b0', '\u3099', '\u0f73'),
)

test('a tokenizer that normalizes a text never reads more bytes than the bound', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('').toWellFormed()
      const { boundBytes, thirds } = countsOf(byteTextOf(text))
      expect(boundBytes).toBeGreaterThanOrEqual(Buffer.byteLength(text.normalize('NFKC')))
      expect(boundBytes).toBeGreaterThanOrEqual(Buffer.byteLength(text))
      // `thirdsOf` adds tokens where digits meet other characters, and `countsOf` does not.
      expect(thirds).toBeLessThanOrEqual(thirdsOf(byteTextOf(text), 0, Buffer.byteLength(text)))
      expect(thirdsOfText(text)).toBe(thirdsOf(byteTextOf(text), 0, Buffer.byteLength(text)))
    }),
    sampledRuns(20_000),
  )
})

test.each([
  ['English', 'The quick brown fox\\n'],
  ['German', 'Größe über Straßen'],
  ['Korean', '안녕하세요 세계'],
  ['Chinese', '一二三，四五六。'],
  ['emoji', '👍🏽🎉'],
])('the bound of ordinary text in %s is its number of bytes', (_, text) => {
  expect(countsOf(byteTextOf(text)).boundBytes).toBe(Buffer.byteLength(text))
})

test('the bound covers every single Unicode character', () => {
  for (let character = 0x80; character < 0x110000; character++) {
    if (character >= 0xd800 && character < 0xe000) continue
    const text = String.fromCodePoint(character)
    const bound = countsOf(byteTextOf(text)).boundBytes
    if (bound < Buffer.byteLength(text.normalize('NFKC'))) expect(character.toString(16)).toBe('')
  }
})

test('two megabytes of unordered combining marks are counted within a second of CPU time', () => {
  // Unicode normalization of this text would take minutes.
  const text = '\u0301\u0327'.repeat(500_000)
  withinCpu(1000, () => countsOf(byteTextOf(text)))
})

function* randomNumbers(): Generator<number, never> {
  for (let seed = 1; ;) yield (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
}

function textsOfDigits(): readonly (readonly [string, string])[] {
  const random = randomNumbers()
  const next = (below: number): number => Math.floor(random.next().value * below)
  const many = (make: () => string | number, between: string): string =>
    Array.from({ length: 1500 }, make).join(between)
  return [
    ['hex', many(() => next(16).toString(16), '')],
    [
      'hashes',
      many(
        () =>
          next(2 ** 31)
            .toString(16)
            .padStart(8, '0'),
        '\n',
      ),
    ],
    ['numbers', many(() => next(10 ** (1 + next(8))), ', ')],
    ['decimals', many(() => (next(1e6) / 1000).toFixed(3), ' ')],
    ['dates', many(() => new Date(next(2e12)).toISOString(), '\n')],
    ['rows', many(() => `${next(9)},${(next(10_000) / 100).toFixed(2)},${next(100_000)}`, '\n')],
    ['digits', many(() => String(next(2 ** 31)).repeat(6), '\n')],
    ['JSON', JSON.stringify(Array.from({ length: 300 }, () => ({ id: next(1e6), price: next(1e4) / 100 })))],
  ]
}

test.each(textsOfDigits())(
  'the estimate for %s is at least the true count and less than twice that count, for any division into frames',
  (_, text) => {
    const truth = countText(text)
    for (const size of [8, 76, text.length]) {
      let thirds = 0
      for (let at = 0; at < text.length; at += size)
        thirds += thirdsOf(text, at, Math.min(text.length, at + size))
      const ratio = tokensFromThirds(thirds) / truth
      expect(ratio).toBeGreaterThan(size === 8 ? 0.9 : 0.99)
      expect(ratio).toBeLessThan(2)
    }
  },
)
