import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { countsOf, thirdsOf } from './token-count.ts'

/** What NFKC expands, composes, reorders and separates. */
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
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

test('no tokenizer that normalises sees more bytes than the bound', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('').toWellFormed()
      const { boundBytes, thirds } = countsOf(byteTextOf(text))
      expect(boundBytes).toBeGreaterThanOrEqual(Buffer.byteLength(text.normalize('NFKC')))
      expect(boundBytes).toBeGreaterThanOrEqual(Buffer.byteLength(text))
      expect(thirds).toBe(thirdsOf(byteTextOf(text), 0, Buffer.byteLength(text)))
    }),
    { numRuns: 20_000 },
  )
})

test.each([
  ['English', 'The quick brown fox\\n'],
  ['German', 'Größe über Straßen'],
  ['Korean', '안녕하세요 세계'],
  ['Chinese', '一二三，四五六。'],
  ['emoji', '👍🏽🎉'],
])('%s is bound by its bytes and nothing more', (_, text) => {
  expect(countsOf(byteTextOf(text)).boundBytes).toBe(Buffer.byteLength(text))
})

test('every character by itself is bound', () => {
  for (let character = 0x80; character < 0x110000; character++) {
    if (character >= 0xd800 && character < 0xe000) continue
    const text = String.fromCodePoint(character)
    const bound = countsOf(byteTextOf(text)).boundBytes
    if (bound < Buffer.byteLength(text.normalize('NFKC'))) expect(character.toString(16)).toBe('')
  }
})

test('marks that stand out of order are counted as fast as any text', () => {
  // Normalising it would take minutes.
  const text = '\u0301\u0327'.repeat(500_000)
  withinCpu(1000, () => countsOf(byteTextOf(text)))
})
