import * as fc from 'fast-check'
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { countTokens as p50k } from 'gpt-tokenizer/encoding/p50k_base'
import { countTokens as r50k } from 'gpt-tokenizer/encoding/r50k_base'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { longWords, shortWords } from './common-words.ts'
import { searchedMax, tokensAtMost } from './letter-pair-bound.ts'

const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
const vocabularies = { r50k, p50k, cl100k, o200k }

/** Returns the bound of a text in a body, where the text is escaped and followed by a quote. */
function most(text: string): number {
  const json = byteTextOf(JSON.stringify(text))
  return tokensAtMost(json, 1, json.length - 1)
}

describe('tokensAtMost', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz '.split('')
  const anyText = fc.oneof(
    // Use only a few letters, so that pairs occur in every order.
    fc
      .tuple(
        fc.array(fc.constantFrom(...letters), { minLength: 2, maxLength: 5 }),
        fc.infiniteStream(fc.nat(4)),
      )
      .chain(([few]) => fc.array(fc.constantFrom(...few), { maxLength: 60 }))
      .map((list) => list.join('')),
    fc.stringMatching(/^[a-z ]{0,80}$/),
    fc.stringMatching(/^[a-zA-Z0-9 '".,\\\n-]{0,80}$/),
    fc.stringMatching(/^(?:(?:'s|'re|'ll|'t|'ve)?[a-z]{1,4}){0,20}$/),
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    // Words in every context: after any character, capitalized or not, and next to escapes and combining marks.
    fc
      .array(
        fc.tuple(
          fc.constantFrom(
            ' ',
            '"',
            '.',
            '_',
            '-',
            '/',
            '(',
            '\n',
            '\t',
            "'",
            ',',
            ' "',
            '9',
            'é',
            '\\',
            'x',
            '',
          ),
          fc.constantFrom(...shortWords, ...longWords),
          fc.constantFrom('as it is', 'capital', 'upper'),
        ),
        { maxLength: 16 },
      )
      .map((words) =>
        words
          .map(([before, word, form]) => {
            const capital = (word[0] ?? '').toUpperCase() + word.slice(1)
            return before + (form === 'upper' ? word.toUpperCase() : form === 'capital' ? capital : word)
          })
          .join(''),
      ),
    fc.stringMatching(/^(?:[aeiourstn][\u0300\u0301\u0308\u0327]?){0,30}$/),
  )

  it.each(Object.entries(vocabularies))(
    'the bound from letter pairs is at least the token count of %s, for any text, with and without normalization',
    (_, count) => {
      fc.assert(
        fc.property(anyText, (any) => {
          const text = any.toWellFormed()
          for (const form of ['NFC', 'NFD'] as const) {
            const normal = text.normalize(form)
            expect(most(text) + growth(text, normal)).toBeGreaterThanOrEqual(count(normal, plain))
          }
        }),
        sampledRuns(4000),
      )
    },
  )

  it('a text without common letter pairs has a bound of one token per byte', () => {
    for (const text of ['qzqzqzqz', '0123456789', 'THEREFORE', '{}[]()', 'é'.repeat(5), '\u{10fffd}'])
      expect(most(text)).toBe(Buffer.byteLength(text))
  })

  it('a text of only common letter pairs has a bound of two thirds of its bytes', () => {
    expect(most('erererererer')).toBe(8)
    expect(most('er')).toBe(1)
    expect(most('e')).toBe(1)
    expect(most('')).toBe(0)
  })

  it('letters next to an escape or before a combining mark do not reduce the bound', () => {
    expect(most('\ner')).toBe(3)
    expect(tokensAtMost('\\ner"', 0, 4)).toBe(3)
    expect(tokensAtMost('er\\u0301', 0, 8)).toBe(8)
    expect(most('er\u0301')).toBe(4)
  })

  it('a common word counts as two or three tokens, and a capitalized word as one more', () => {
    expect(most(' following')).toBe(2)
    expect(most('"return"')).toBe(5)
    expect(most(' Return')).toBe(3)
    // The letters are not a separate word if they are next to a digit, another letter, or the escape of a letter.
    for (const text of ['0following', 'éfollowing', 'xfollowing', 'following9', 'following\u0301'])
      expect(most(text)).toBeGreaterThan(4)
    expect(tokensAtMost('\\u00e9following"', 0, 15)).toBeGreaterThan(9)
    expect(tokensAtMost('following\\u0301"', 0, 15)).toBeGreaterThan(9)
  })

  it('each byte after the searched part of a text counts as one token', () => {
    const text = 'er'.repeat(searchedMax)
    // Three letters have at most two tokens, and the last searched letter remains alone.
    const least = Math.round((searchedMax * 2) / 3)
    expect(tokensAtMost(text, 0, searchedMax)).toBe(least)
    expect(tokensAtMost(text, 2, searchedMax + 302)).toBe(least + 300)
  })

  it('the bound of ordinary prose is at most 0.85 tokens per byte', () => {
    const prose =
      'The service sits between a product and the model providers, and meters what each call has used.'
    expect(most(prose)).toBeLessThan(0.85 * prose.length)
  })
})

function growth(text: string, normal: string): number {
  return Math.max(0, Buffer.byteLength(normal) - Buffer.byteLength(text))
}
