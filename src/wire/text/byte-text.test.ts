import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '#tests/support/any-character.ts'
import { byteTextOf, textOf } from './byte-text.ts'

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 400 }),
      fc.constantFrom('\ufeff', '\ud800', '\udc00x', '\u0000', 'é', '一', '👍', 'a'.repeat(300)),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))

test('text of any length becomes the bytes of its UTF-8 encoding, with one character for each byte', () => {
  fc.assert(
    fc.property(text, (each) => {
      const bytes = [...new TextEncoder().encode(each)]
      expect(byteTextOf(each)).toBe(bytes.map((byte) => String.fromCharCode(byte)).join(''))
    }),
  )
})

test('text is read back unchanged, including a byte order mark', () => {
  fc.assert(
    fc.property(text, (each) => {
      expect(textOf(byteTextOf(each))).toBe(each.toWellFormed())
    }),
  )
})

test('invalid UTF-8 is converted as by the platform’s decoder', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      expect(textOf(String.fromCharCode(...bytes))).toBe(decoder.decode(bytes))
    }),
  )
})
