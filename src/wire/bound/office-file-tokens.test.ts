import { deflateRawSync } from 'node:zlib'
import * as fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#wire/text/computation-with-pauses.ts'
import { isArchive, officeTokens } from './office-file-tokens.ts'

interface Entry {
  readonly name: string
  readonly content: Buffer | string
  readonly isStored?: boolean
  readonly flags?: number
  readonly method?: number
}

function archiveOf(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { content, flags = 0, isStored = false, method = isStored ? 0 : 8, name } of entries) {
    const data = isStored ? Buffer.from(content) : deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), common, rest, Buffer.from(name))
    parts.push(local)
    at += local.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, ...directory, end])
}

const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
const document = (...texts: string[]): Entry => ({
  name: 'word/document.xml',
  content: `<?xml version="1.0"?><w:document><w:body>${texts.map(paragraph).join('')}</w:body></w:document>`,
})
const tokensOf = (data: Buffer, bytesLeft = 1 << 20): number | null =>
  resultOf(officeTokens(data, { bytesLeft }))
const picture: Entry = { name: 'word/media/a.png', content: `\u0000`, isStored: true }

describe('the tokens of an Office file', () => {
  const words = fc.array(fc.stringMatching(/^[a-z0-9 äß是.,]{0,60}$/), { maxLength: 40 })

  it('the bound is at least the token count of the text, and at most twice the bytes of the text plus an allowance', () => {
    fc.assert(
      fc.property(words, fc.boolean(), (texts, isStored) => {
        const data = archiveOf([{ ...document(...texts), isStored }])
        expect(isArchive(data)).toBe(true)
        const tokens = tokensOf(data) ?? 0
        const text = texts.join('\n')
        expect(tokens).toBeGreaterThanOrEqual(countTokens(text))
        expect(tokens).toBeLessThanOrEqual(2 * Buffer.byteLength(text) + 136)
      }),
      { numRuns: 300 },
    )
  })

  it('pictures of any size add no tokens, and a text after a picture in the archive counts', () => {
    const large = Buffer.alloc(6 << 20, '\u0089PNG', 'latin1')
    const pictures = [1, 2].map((n) => ({ name: `word/media/${n}.png`, content: large, isStored: true }))
    const text = 'The quick brown fox. '.repeat(50)
    const alone = tokensOf(archiveOf([document(text)]))
    expect(tokensOf(archiveOf([...pictures, document(text)]))).toBe(alone)
    expect(alone).toBeLessThan(3_000)
  })

  it('each repetition of a shared text in a sheet counts', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2), { minLength: 1, maxLength: 200 }), (cells) => {
        const shared = ['Yes', 'No', 'A long text of forty characters or so...']
        const items = shared.map((text) => `<si><t>${text}</t></si>`).join('')
        const values = cells.map((index) => `<x:c t="s"><x:v>${index}</x:v></x:c>`).join('')
        const data = archiveOf([
          { name: 'xl/sharedStrings.xml', content: `<sst>${items}</sst>` },
          {
            name: 'xl/worksheets/sheet1.xml',
            content: `<x:sheetData><x:row>${values}</x:row></x:sheetData>`,
          },
        ])
        const text = cells.map((index) => shared[index]).join(' | ')
        expect(tokensOf(data)).toBeGreaterThanOrEqual(countTokens(text))
      }),
      { numRuns: 200 },
    )
  })

  it('a document or a presentation has 128 tokens more than its text, and any other Office file 1,024 more', () => {
    const partOf = (content: string): Entry => ({ name: 'a.xml', content })
    const sheet = partOf('<x:workbook><x:sheets/></x:workbook>')
    expect(tokensOf(archiveOf([partOf('<w:document>Hello</w:document>')]))).toBe(128 + 5)
    expect(tokensOf(archiveOf([partOf('<p:presentation/>')]))).toBe(128)
    expect(tokensOf(archiveOf([sheet]))).toBe(1_024)
    expect(tokensOf(archiveOf([partOf('<unknown/>')]))).toBe(1_024)
    expect(tokensOf(archiveOf([partOf('<w:document/>'), sheet]))).toBe(1_024)
  })

  it('empty cells within the used range of a sheet are counted', () => {
    const row = '<row r="1"><c r="ZZ1"><v>5</v></c></row>'
    const data = archiveOf([
      { name: 'xl/worksheets/sheet1.xml', content: `<sheetData>${row.repeat(10)}</sheetData>` },
    ])
    const text = ' | '.repeat(701).concat('5\n').repeat(10)
    expect(tokensOf(data)).toBeGreaterThanOrEqual(countTokens(text))
  })

  it('in an Office file, each byte of a part of unknown type counts as one token', () => {
    const alone = tokensOf(archiveOf([document('Hello')])) ?? 0
    const utf16 = Buffer.from('\ufeff<a>b</a>', 'utf16le')
    for (const content of [Buffer.from('unknown'), utf16])
      expect(tokensOf(archiveOf([document('Hello'), { name: 'a.bin', content }]))).toBe(
        alone + content.length,
      )
  })

  it('pictures in an Office file add no tokens', () => {
    const png = { ...picture, content: Buffer.concat([Buffer.from('\x89PNG', 'latin1'), Buffer.alloc(9000)]) }
    const alone = tokensOf(archiveOf([document('Hello')]))
    expect(tokensOf(archiveOf([document('Hello'), png]))).toBe(alone)
    expect(tokensOf(archiveOf([document('Hello'), { ...png, isStored: false }]))).toBe(alone)
  })

  it.each([
    ['an encrypted part', [{ ...document('a'), flags: 1 }]],
    ['another compression', [{ ...document('a'), method: 9 }]],
    ['another encoding', [{ name: 'a.xml', content: '<?xml version="1.0" encoding="shift_jis"?><a/>' }]],
    ['entities of its own', [{ name: 'a.xml', content: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' }]],
    ['CDATA', [{ name: 'a.xml', content: '<v><![CDATA[5]]></v>' }]],
  ] as const)('the token bound of an Office file is unknown with %s', (_, entries) => {
    expect(tokensOf(archiveOf(entries))).toBeNull()
  })

  it('the tokens are unknown for a decompression bomb, a damaged archive, and two archives in one file', () => {
    expect(tokensOf(archiveOf([document('a'.repeat(5_000_000))]))).toBeNull()
    expect(tokensOf(archiveOf([document('abc')]), 40)).toBeNull()
    const data = archiveOf([document('a')])
    expect(tokensOf(Buffer.concat([data, data]))).toBeNull()
    for (let length = 4; length < data.length; length++) expect(tokensOf(data.subarray(0, length))).toBeNull()
    for (let at = 0; at < data.length; at++) {
      const changed = Buffer.from(data)
      changed[at] = (changed[at] ?? 0) ^ 0xff
      expect(() => tokensOf(changed)).not.toThrow()
    }
  })
})
