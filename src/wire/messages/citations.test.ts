import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { parseMessagesRequest } from './parse-request.ts'

function boundOf(block: object): number {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [block] }] }
  const request = parseMessagesRequest(byteTextOf(JSON.stringify(body)))
  if ('kind' in request) throw new Error(request.reason)
  return request.textTokensMax
}

const text = 'The grass is green. The sky is blue.'
const documents = {
  text: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } },
  content: { type: 'document', source: { type: 'content', content: [{ type: 'text', text }] } },
  result: {
    type: 'search_result',
    source: 'https://a.example',
    title: 'a',
    content: [{ type: 'text', text }],
  },
}

describe('citations in a messages request', () => {
  it.each(Object.entries(documents))(
    'citations add instructions and marks for a document of %s',
    (_, block) => {
      const plain = boundOf(block)
      // In recorded responses, the usage exceeded the bound of the text alone by at most 464 tokens.
      expect(boundOf({ ...block, citations: { enabled: true } })).toBeGreaterThan(plain + 464 + text.length)
      const named = '"citations":{"enabled":false},'.length
      expect(boundOf({ ...block, citations: { enabled: false } })).toBeLessThanOrEqual(plain + named)
    },
  )

  it('citations add at least 16 tokens for each sentence, in any language', () => {
    const sentences = fc.array(fc.constantFrom('A.', 'B!', 'C?', 'D\n', '是。', 'はい！', '吗？'), {
      minLength: 1,
      maxLength: 200,
    })
    fc.assert(
      fc.property(sentences, (list) => {
        const source = { type: 'text', media_type: 'text/plain', data: list.join(' ') }
        const plain = boundOf({ type: 'document', source })
        const cited = boundOf({ type: 'document', source, citations: { enabled: true } })
        expect(cited - plain).toBeGreaterThanOrEqual(1_024 + 16 * list.length)
      }),
    )
  })

  it('if a PDF has citations, its text counts twice', () => {
    const pdf =
      '%PDF-1.7 1 0 obj <</Type /Pages /Kids [2 0 R] /Count 1>> endobj 2 0 obj <</Type /Page>> endobj'
    const data = Buffer.from(pdf.padEnd(5_000)).toString('base64')
    const block = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }
    const added = boundOf({ ...block, citations: { enabled: true } }) - boundOf(block)
    expect(added - 3_000 - 1_024).toBeGreaterThanOrEqual(0)
    expect(added - 3_000 - 1_024).toBeLessThan(40)
  })
})
