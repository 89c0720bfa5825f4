import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cut, harmless, padEnd, padStart, widthOf, wrapped } from './text-width.ts'

it('the width counts terminal columns and not characters', () => {
  for (const [text, width] of [
    ['key', 3],
    ['鍵 of 東京', 10],
    ['clé', 3],
    ['cle\u0301', 3],
    ['a\u200db', 2],
    ['ｆｕｌｌ', 8],
    ['한국', 4],
    ['👩‍💻', 2],
  ] as const) {
    expect(widthOf(text), text).toBe(width)
  }
})

const texts = fc.string({ unit: 'grapheme', maxLength: 60 })

it('a truncated text fills the width and starts like the original text', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, columns) => {
      const short = cut(text, columns)
      expect(widthOf(short)).toBeLessThanOrEqual(Math.max(columns, 1))
      expect(short === text || text.startsWith(short.slice(0, -1))).toBe(true)
      expect(widthOf(padEnd(short, columns))).toBeGreaterThanOrEqual(columns)
      expect(widthOf(padStart(short, columns))).toBe(widthOf(padEnd(short, columns)))
    }),
  )
})

it('wrapped lines contain all words in order, and only a long word exceeds the width', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), { minLength: 1 }), (words) => {
      const text = words.map((word) => word.replaceAll(' ', '_')).join(' ')
      const lines = wrapped(text, 20)
      expect(lines.join(' ')).toBe(text)
      for (const line of lines) expect(widthOf(line) <= 20 || !line.includes(' ')).toBe(true)
    }),
  )
})

it('text that other users wrote cannot move the cursor, change colors or reverse a line', () => {
  expect(harmless('a\u001b[31mred\u001b]0;title\u0007 \u009b2J \u202egnp.exe\r\n')).toBe(
    'a�[31mred�]0;title� �2J �gnp.exe��',
  )
})
