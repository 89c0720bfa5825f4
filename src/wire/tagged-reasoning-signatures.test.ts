import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '#tests/support/any-character.ts'
import { signatureOfTag, tagOf, type Signature } from './tagged-reasoning-signatures.ts'

const textOrNull = fc.option(fc.string({ unit: 'grapheme' }))
const signature: fc.Arbitrary<Signature> = fc.record({
  wire: fc.constantFrom('chat', 'messages', 'generate', 'responses'),
  origin: textOrNull,
  kind: fc.constantFrom('signature', 'redacted', 'encrypted', 'thought_signature'),
  data: fc.oneof(fc.base64String(), fc.string({ unit: 'grapheme' })),
  id: textOrNull,
})

describe('a tagged signature', () => {
  it('a tagged signature is decoded unchanged', () => {
    fc.assert(
      fc.property(signature, (seal) => {
        expect(signatureOfTag(tagOf(seal))).toEqual(seal)
      }),
      { numRuns: 1000 },
    )
  })

  it('a tagged signature survives a client that decodes it and encodes it in either base64 alphabet', () => {
    fc.assert(
      fc.property(signature, (seal) => {
        const tag = tagOf(seal)
        expect(tag).toMatch(/^(?:[\w-]{4})+$/)
        expect(signatureOfTag(Buffer.from(tag, 'base64url').toString('base64'))).toEqual(seal)
        expect(signatureOfTag(Buffer.from(tag, 'base64').toString('base64url'))).toEqual(seal)
      }),
    )
  })

  it('a text that is not a tagged signature is never decoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(signatureOfTag(text)).toBeNull()
        expect(signatureOfTag(`dGcx${text}`)).toBeNull()
        expect(signatureOfTag(btoa(`tg1["chat"${'x'.repeat(text.length)}`))).toBeNull()
      }),
    )
    for (const fields of [
      '[]',
      '{}',
      '["chat","signature",null,null]',
      '["x","signature",null,null,"d"]',
      '["chat","x",null,null,"d"]',
      '["chat","signature",1,null,"d"]',
      '["chat","signature",null,null,null]',
      '1} {',
    ])
      expect(signatureOfTag(btoa(`tg1${fields}`))).toBeNull()
  })

  it('a tagged signature that was cut off is not decoded', () => {
    fc.assert(
      fc.property(signature, fc.nat(), (seal, cut) => {
        const tag = tagOf(seal)
        const part = tag.slice(0, cut % (tag.length - 4))
        expect(signatureOfTag(part)).toBeNull()
      }),
    )
  })
})
