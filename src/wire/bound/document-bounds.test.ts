import { describe, expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wireNames } from '#wire/names-of-wires-and-tasks.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'

function pdfOf(pages: number, padding: number): Buffer {
  const leaves = Array.from({ length: pages }, (_, i) => `${i + 9} 0 obj <</Type /Page>> endobj\n`)
  const kids = leaves.map((_, i) => `${i + 9} 0 R`).join(' ')
  return Buffer.from(
    `%PDF-1.7\n1 0 obj <</Type /Pages /Count ${pages} /Kids [${kids}]>> endobj\n${leaves.join('')}` +
      `2 0 obj <</Length1 ${padding}>> stream\n${'x'.repeat(padding)}\nendstream endobj`,
  )
}

/** Requests of Cohere's chat contain no document as data. */
const documentWires = wireNames.filter((wire) => wire !== 'cohere')
type DocumentWire = (typeof documentWires)[number]

const bodies: Readonly<Record<DocumentWire, (data: string) => object>> = {
  chat: (data) => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } },
        ],
      },
    ],
  }),
  messages: (data) => {
    const source = { type: 'base64', media_type: 'application/pdf', data }
    return { max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'document', source }] }] }
  },
  responses: (data) => ({
    input: [
      { role: 'user', content: [{ type: 'input_file', file_data: `data:application/pdf;base64,${data}` }] },
    ],
  }),
  generate: (data) => ({
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'application/pdf', data } }] }],
  }),
  converse: (data) => {
    const document = { format: 'pdf', name: 'a', source: { bytes: data } }
    return { messages: [{ role: 'user', content: [{ document }] }] }
  },
}

function requestOf(wire: DocumentWire, data: string | Buffer, more: object = {}): WireRequest {
  const text = typeof data === 'string' ? data : data.toString('base64')
  const body = byteTextOf(JSON.stringify({ model: 'm', ...bodies[wire](text), ...more }))
  const request = wires[wire].parseRequest(body, { model: 'm', isStream: false, isJsonArray: false })
  if ('kind' in request) throw new Error(request.reason)
  return request
}

describe.each(documentWires)('the token bound of a PDF in a request of the wire %s', (wire) => {
  it('a PDF is counted by its pages, with 1,290 tokens per page at Google', () => {
    const { documents, textTokensMax } = requestOf(wire, pdfOf(4, 40_000))
    expect(documents).toEqual({ tokensMax: 4 * 7_800, googleTokensMax: 4 * 1_290, imagedPages: 4 })
    expect(textTokensMax - 4 * 7_800).toBeLessThan(400)
  })

  it('a PDF that cannot be read is counted by its bytes, up to the largest context', () => {
    const byBytes = (bytes: number): number => Math.ceil(bytes / 200) * 7_800
    for (const [data, bytes] of [
      [Buffer.concat([pdfOf(1, 9_000), Buffer.from('/Encrypt')]), 9_174],
      [Buffer.concat([pdfOf(1, 9_000), Buffer.from('PK\u0005\u0006')]), 9_170],
      [`${pdfOf(1, 9_000).toString('base64')}%3D`, 9_166],
      [Buffer.alloc(5_000, 'no PDF \xff', 'latin1'), 5_000],
      [Buffer.alloc(5_000, 'no text \0'), 5_000],
    ] as const) {
      const tokens = requestOf(wire, data).documents?.tokensMax
      expect(Math.abs((tokens ?? 0) - byBytes(bytes))).toBeLessThanOrEqual(2 * 7_800)
    }
    expect(requestOf(wire, Buffer.alloc(90_000)).documents?.tokensMax).toBe(2_000_000)
  })

  it('if the contents of a PDF are unusually long, each byte of contents also counts as one token', () => {
    const contents = `3 0 obj <<>> stream\n${'x'.repeat(50_000)}endstream`
    const { documents } = requestOf(wire, Buffer.concat([pdfOf(2, 9_000), Buffer.from(contents)]))
    expect(documents).toEqual({ tokensMax: 2 * 4_800 + 50_000, googleTokensMax: 2 * 1_290, imagedPages: 2 })
  })

  it('a PDF is counted by its bytes if the documents of the request are too large to read', () => {
    const { documents } = requestOf(wire, pdfOf(1, 4 * 1024 * 1024))
    expect(documents?.tokensMax).toBe(2_000_000)
  })

  it('a request without documents has no document bound', () => {
    const text =
      wire === 'generate'
        ? { contents: [{ parts: [{ text: 'a' }] }] }
        : { input: 'a', messages: [{ role: 'user', content: 'a' }] }
    expect(requestOf(wire, '', text).documents).toBeNull()
  })
})

describe.each(documentWires)(
  'the token bound of a plain text document in a request of the wire %s',
  (wire) => {
    it('a plain text counts at least one token per byte after normalization, and never by pages', () => {
      for (const text of ['a', 'Hello, world\n'.repeat(500), 'é\u{1d11e}\ufdfa'.repeat(40)]) {
        const tokens = Array.from(text).reduce((sum, each) => {
          const normal = Buffer.byteLength(each.normalize('NFKC'))
          return sum + Math.max(Buffer.byteLength(each), normal)
        }, 0)
        const { documents } = requestOf(wire, Buffer.from(text))
        expect(documents?.tokensMax).toBeGreaterThanOrEqual(tokens)
        expect(documents?.tokensMax).toBeLessThanOrEqual(12 * Buffer.byteLength(text))
        expect(documents?.googleTokensMax).toBe(documents?.tokensMax)
      }
      // A vendor may find a PDF or an archive in a text.
      for (const start of ['%PDF-1.4 ', 'PK\u0003\u0004'])
        expect(requestOf(wire, Buffer.from(`${start}text`)).documents?.tokensMax).toBe(7_800)
    })
  },
)

describe('the token bound of an Office file', () => {
  // An archive with word/document.xml: <w:document><w:t>Hello</w:t></w:document>
  const base64 =
    'UEsDBBQAAAAAAAAAAAAAAAAAKQAAACkAAAARAAAAd29yZC9kb2N1bWVudC54bWw8dzpkb2N1bWVudD48dzp0PkhlbGxvPC93OnQ+PC93OmRvY3VtZW50PlBLAQIUABQAAAAAAAAAAAAAAAAAKQAAACkAAAARAAAAAAAAAAAAAAAAAAAAAAB3b3JkL2RvY3VtZW50LnhtbFBLBQYAAAAAAQABAD8AAABYAAAAAAA='

  it('an Office file is counted by its text', () => {
    const tokens = 128 + 'Hello'.length
    expect(requestOf('responses', base64).documents).toEqual({
      tokensMax: tokens,
      googleTokensMax: tokens,
      imagedPages: 0,
    })
  })
})

describe('the bound of PDF pages at Google depends on their resolution', () => {
  it.each([
    [{ generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_HIGH' } }, 2_240],
    [{ generationConfig: { media_resolution: 'MEDIA_RESOLUTION_ULTRA_HIGH' } }, 2_240],
    [{ generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' } }, 1_290],
    [{}, 1_290],
  ])('with %j, a PDF page counts %d tokens', (more, tokens) => {
    expect(requestOf('generate', pdfOf(3, 900), more).documents?.googleTokensMax).toBe(3 * tokens)
  })

  it('a content part can raise the resolution of its pages to 2,240 tokens per page', () => {
    const data = pdfOf(3, 900).toString('base64')
    const part = { inlineData: { mimeType: 'application/pdf', data }, mediaResolution: { level: 'X' } }
    const request = requestOf('generate', '', { contents: [{ parts: [part] }] })
    expect(request.documents?.googleTokensMax).toBe(3 * 2_240)
  })
})

it.each(documentWires)(
  'the work to count a document of the wire %s grows with its size, although it ends in a long run of spaces',
  (wire) => {
    const data = pdfOf(4, 40_000).toString('base64')
    const spaces = ' '.repeat(100_000)
    const valid = withinCpu(1_000, () => requestOf(wire, data + spaces))
    expect(valid.documents).toEqual({ tokensMax: 4 * 7_800, googleTokensMax: 4 * 1_290, imagedPages: 4 })
    const invalid = withinCpu(1_000, () => requestOf(wire, `${data}${spaces}!`))
    expect(invalid.documents?.tokensMax).toBeGreaterThan(4 * 7_800)
  },
)
