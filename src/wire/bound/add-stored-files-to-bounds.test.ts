import { describe, expect, test } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { StoredFile } from '#wire/file-use-types.ts'
import { withFiles } from './add-stored-files-to-bounds.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'

type Wire = 'chat' | 'messages' | 'responses'

const document: StoredFile = {
  id: 'vendors-document',
  origin: 'o',
  tokens: 5_000,
  citedTokens: 9_000,
  pixels: null,
}
const image: StoredFile = {
  ...document,
  id: 'vendors-image',
  tokens: 1,
  pixels: { width: 1024, height: 1024 },
}
const stored: Readonly<Record<string, StoredFile>> = { 'öwn-document': document, 'own-image': image }

function parsed(wire: Wire, content: object[]): WireRequest {
  const turn = { role: 'user', content }
  const body = wire === 'responses' ? { input: [turn] } : { messages: [turn], max_tokens: 9 }
  const text = byteTextOf(JSON.stringify({ model: 'm', ...body }))
  const request = wires[wire].parseRequest(text, { model: null, isStream: false, isJsonArray: false })
  if (isFault(request)) throw new Error(request.reason)
  return request
}

function opened(request: WireRequest): WireRequest {
  return withFiles(request, ({ id }) => stored[id] ?? expect.fail(`the file ${id} is unknown`))
}

const documents: Readonly<Record<Wire, (file_id: string) => object>> = {
  chat: (file_id) => ({ type: 'file', file: { file_id } }),
  messages: (file_id) => ({ type: 'document', source: { type: 'file', file_id } }),
  responses: (file_id) => ({ type: 'input_file', file_id }),
}
const images = {
  messages: (file_id: string) => ({ type: 'image', source: { type: 'file', file_id } }),
  responses: (file_id: string) => ({ type: 'input_image', file_id }),
} as const

describe.each(['chat', 'messages', 'responses'] as const)(
  'a stored file in a request of the wire %s',
  (wire) => {
    test.each(['compatible', 'openai'] as const)(
      'the request contains the provider’s file ID, and every bound includes the size of the file (%s)',
      (dialect) => {
        const request = parsed(wire, [documents[wire]('öwn-document'), documents[wire]('öwn-document')])
        const read = opened(request)
        const body = textOf(upstreamBody(read, 'm', null, dialect))
        expect(body).not.toContain('öwn')
        expect(body.split('"vendors-document"')).toHaveLength(3)
        expect(read.textTokensMax - request.textTokensMax).toBe(2 * 5_064)
        for (const bound of ['inputEstimate', 'mediaEstimate'] as const)
          expect(read[bound] - request[bound]).toBe(Math.ceil((2 * 5_064) / 8))
        expect(read.images).toBeNull()
        // A tokenizer's count replaces only the tokens of the request's own text.
        expect(read.prose).toBe(request.prose)
      },
    )

    test('the token bound of a stored image is based on its pixels', () => {
      const read = opened(parsed(wire, [documents[wire]('own-image')]))
      expect(read.images).toMatchObject({
        openai: Math.ceil(1_024 * 2.46),
        gpt4oMini: 230 + 2_833 + 5_667 * 4,
      })
    })

    test('a request has at most 100 files', () => {
      const uses = (count: number): object[] =>
        Array.from({ length: count }, () => documents[wire]('öwn-document'))
      expect(parsed(wire, uses(100)).files).toHaveLength(100)
      expect(() => parsed(wire, uses(101))).toThrow('at most 100 times')
    })
  },
)

test('a file of unknown size counts like fetched content, in the bound and in the estimates', () => {
  const unknown: StoredFile = { ...document, tokens: 0, citedTokens: 0, soundTokens: null }
  const request = parsed('responses', [documents.responses('one'), documents.responses('two')])
  const read = withFiles(request, () => unknown)
  expect(read.fetched).toBe('any')
  for (const bound of ['inputEstimate', 'mediaEstimate'] as const)
    expect(read[bound] - request[bound]).toBe(2 * 3_200 + Math.ceil((2 * 64) / 8))
})

test.each(['messages', 'responses'] as const)(
  'if a request uses a file as an image but the file is not an image, the file counts as the largest image (%s)',
  (wire) => {
    const request = parsed(wire, [images[wire]('own-image'), images[wire]('öwn-document')])
    const one = opened(parsed(wire, [images[wire]('own-image')])).images?.any ?? 0
    expect(opened(request).images?.any).toBe(one + 16_000)
  },
)

test('a stored document whose citations are enabled counts with citations', () => {
  const cited = { ...documents.messages('öwn-document'), citations: { enabled: true } }
  const plain = { ...documents.messages('öwn-document'), citations: { enabled: false } }
  const tokens = (block: object): number => {
    const request = parsed('messages', [block])
    return opened(request).textTokensMax - request.textTokensMax
  }
  expect([tokens(cited), tokens(plain)]).toEqual([9_064, 5_064])
})

test('if an image has both an address and a file, both count, and the file’s ID is decoded', () => {
  const both = { type: 'input_image', image_url: 'https://example.com/a.png', file_id: 'own-image' }
  const request = parsed('responses', [both])
  expect(request.images?.any).toBe(16_000)
  const read = opened(request)
  expect(read.images?.any).toBeGreaterThan(16_000)
  expect(textOf(upstreamBody(read, 'm', null))).toContain('"vendors-image"')
})

test('if the provider’s tools are removed, the request keeps the provider’s file IDs and the size of the files', () => {
  const turn = { role: 'user', content: [documents.responses('öwn-document')] }
  const body = { model: 'm', tools: [{ type: 'web_search' }], input: [turn] }
  const path = { model: null, isStream: false, isJsonArray: false }
  const request = wires.responses.parseRequest(
    byteTextOf(JSON.stringify(body)),
    path,
    () => new Set(['webSearch']),
  )
  if (isFault(request)) throw new Error(request.reason)
  const dropped = opened(request).run?.dropped
  if (dropped === undefined || isFault(dropped)) throw new Error('the tools can be dropped')
  expect(textOf(upstreamBody(dropped, 'm', null))).toContain('"file_id":"vendors-document"')
  expect(dropped.textTokensMax).toBeGreaterThan(5_000)
})

test('all files of a request together count at most the tokens of the largest context window', () => {
  const request = parsed('responses', [
    documents.responses('öwn-document'),
    documents.responses('öwn-document'),
  ])
  const read = withFiles(request, () => ({ ...document, tokens: 1_500_000 }))
  expect(read.textTokensMax - request.textTokensMax).toBe(2_000_000)
})
