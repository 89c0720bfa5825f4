import { deflateSync } from 'node:zlib'
import * as fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#wire/text/computation-with-pauses.ts'
import { documentTokens } from './document-bounds.ts'
import { pdfSize } from './pdf-size.ts'

interface Letter {
  readonly content: string
  readonly more?: string
  readonly page?: string
  /** The map of the font from codes to characters. */
  readonly map?: string
  readonly isFlate?: boolean
  readonly filter?: string
}

function letterOf({
  content,
  filter = '/FlateDecode',
  isFlate = true,
  map,
  more = '',
  page,
}: Letter): Buffer {
  const stream = (object: number, text: string): string => {
    const data = isFlate ? deflateSync(Buffer.from(text, 'latin1')) : Buffer.from(text, 'latin1')
    return `${object} 0 obj <<${isFlate ? `/Filter${filter}` : ''}/Length ${data.length}>> stream\n${data.toString('latin1')}\nendstream endobj\n`
  }
  return Buffer.from(
    `%PDF-1.7\n1 0 obj <</Type/Pages/Count 1/Kids[2 0 R]>> endobj\n` +
      `2 0 obj <</Type/Page/Parent 1 0 R${page ?? '/Contents 3 0 R'}>> endobj\n${stream(3, content)}` +
      `${map === undefined ? '' : stream(4, map)}${more}\ntrailer <</Root 5 0 R>>\n%%EOF`,
    'latin1',
  )
}

function codesOf(letter: Letter): number | null | undefined {
  const data = letterOf(letter)
  return resultOf(pdfSize(data, data.toString('latin1'), { bytesLeft: 1 << 20 }))?.codes
}

const hello = 'BT /F1 12 Tf (Hello) Tj ET'
const mapOf = (...lines: string[]): string => `begincmap 1 beginbfchar ${lines.join(' ')} endbfchar endcmap`

describe('counting the codes that a PDF of one page shows', () => {
  it.each([
    [hello, 6],
    ['BT (a \\) b) Tj ET', 6],
    ['BT (a (nested) b) Tj ET', 13],
    ['BT <48656C6C6F> Tj ET', 5],
    ['BT [<48>-20<65>5(llo)] TJ ET', 6],
    ['q 1 0 0 1 50 50 cm Q', 0],
  ])('%j shows at most %d codes, compressed or not', (content, codes) => {
    expect(codesOf({ content })).toBe(codes)
    expect(codesOf({ content, isFlate: false })).toBe(codes)
  })

  it('there are at least as many codes as shown characters, and three tokens per code cover the text', () => {
    // The word BI could begin an image, so the number of codes is not known if the content has this word.
    const literal = fc.stringMatching(/^[\x20-\x7e]{0,40}$/).filter((text) => !/\bBI\b/.test(text))
    fc.assert(
      fc.property(fc.array(fc.tuple(literal, fc.boolean()), { maxLength: 12 }), (strings) => {
        const content = strings
          .map(([text, isHex]) =>
            isHex
              ? `<${Buffer.from(text).toString('hex')}> Tj`
              : `(${text.replaceAll(/[\\()]/g, (char) => `\\${char}`)}) Tj`,
          )
          .join(' 0 -14 Td ')
        const text = strings.map(([string]) => string).join('\n')
        const codes = codesOf({ content: `BT ${content} ET` }) ?? -1
        expect(codes).toBeGreaterThanOrEqual(text.replaceAll('\n', '').length)
        expect(3 * codes + 256).toBeGreaterThanOrEqual(countTokens(text))
      }),
      { numRuns: 300 },
    )
  })

  it('the strings in a map from codes to characters also count', () => {
    expect(codesOf({ content: hello, map: mapOf('<01> <0048>', '<02> <4E00>') })).toBe(6 + 2 * (1 + 2))
  })

  it.each<readonly [string, Partial<Letter>]>([
    ['the content is in several streams', { page: '/Contents [3 0 R 3 0 R]' }],
    ['an annotation has text', { more: '6 0 obj <</Subtype/FreeText/Contents (Hello)>> endobj' }],
    ['the page has annotations', { more: '6 0 obj <</Annots [7 0 R]>> endobj' }],
    ['the page has a form', { more: '6 0 obj <</Subtype /Form>> endobj' }],
    ['the page has an image', { more: '6 0 obj <</Subtype /Image>> endobj' }],
    ['a font names its characters', { more: '6 0 obj <</Differences [65 /f_f_i]>> endobj' }],
    ['a text replaces what is shown', { more: '6 0 obj <</ActualText (Hello)>> endobj' }],
    ['the content has an image', { content: 'BI /W 9 ID xxxx EI' }],
    ['the content has another filter', { filter: '/LZWDecode' }],
    ['the content has two filters', { filter: '[/FlateDecode /ASCII85Decode]' }],
    ['the content has a predictor', { filter: '/FlateDecode/DecodeParms<</Predictor 12>>' }],
    ['a code stands for several characters', { map: mapOf('<01> <006600660069>') }],
    ['normalization expands a character', { map: mapOf('<01> <FDFA>') }],
    ['the content is a decompression bomb', { content: ' '.repeat(100_000) }],
    ['the content is long', { content: `(${Array.from({ length: 3_000 }, (_, i) => i).join(' ')}) Tj` }],
  ])('the number of codes is not known if %s', (_, more) => {
    expect(codesOf({ content: hello, ...more })).toBeNull()
  })

  it('a short page has a bound of 256 tokens plus 3 per code, at most 3,000, and twice as many with citations', () => {
    const tokensOf = (content: string, isCited: boolean): number => {
      const data = letterOf({ content })
      const read = resultOf(pdfSize(data, data.toString('latin1'), { bytesLeft: 1 << 20 }))
      return documentTokens(read, data.length, isCited)
    }
    expect(tokensOf(hello, false)).toBe(4_800 + 256 + 3 * 6)
    expect(tokensOf(hello, true)).toBe(1_024 + 4_800 + 2 * (256 + 3 * 6))
    expect(tokensOf(`(${'a'.repeat(9_000)}) Tj`, false)).toBe(4_800 + 3_000)
  })
})
