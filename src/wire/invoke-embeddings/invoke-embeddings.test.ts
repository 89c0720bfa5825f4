import { describe, expect, it } from 'vitest'
import { tasksOf } from '#domain/accounts/provider-kinds.ts'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { parseInvoke } from '#wire/parse-invoke-request-of-bedrock.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type RequestFault, type WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { bodyOfTexts, embeddingFamilyOf, type InvokeFamily } from './formats-by-embedding-family.ts'

const path = { model: 'acme/vectors', isStream: false, isJsonArray: false, isInvoke: true } as const
const found = (body: object): WireRequest | RequestFault =>
  parseInvoke(byteTextOf(JSON.stringify(body)), path)
const read = (body: object): WireRequest => {
  const request = found(body)
  if (isFault(request)) throw new Error(request.reason)
  return request
}
const titan = (text: string) => ({ inputText: text, dimensions: 256, normalize: true })
const nova = (value: string) => ({
  taskType: 'SINGLE_EMBEDDING',
  singleEmbeddingParams: {
    embeddingPurpose: 'GENERIC_RETRIEVAL',
    text: { value, truncationMode: 'NONE' },
  },
})
const cohere = (...texts: string[]) => ({ texts, input_type: 'search_query', truncate: 'NONE' })

const seed = seedOfRun()
it(`the bound of a body in the format of each family is at least the provider’s count (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 100; run++) {
    const texts = Array.from({ length: 1 + (run % 5) }, () =>
      Array.from({ length: 1 + (run % 40) }, () => random.pick(['word ', 'é', '𝄞', '\n', '"', ' a'])).join(
        '',
      ),
    )
    const [first = ''] = texts
    for (const body of [titan(first), cohere(...texts), nova(first)]) {
      const request = read(body)
      const { inputTokens, status, text } = play('invoke_embeddings', body)
      expect(status, text).toBe(200)
      expect(inputTokens).toBeGreaterThan(0)
      expect(request.textTokensMax).toBeGreaterThanOrEqual(inputTokens ?? Infinity)
      expect(request.textTokensMax).toBeGreaterThanOrEqual(request.inputEstimate)
      expect([request.wire, request.outputTokensMax]).toEqual(['invoke_embeddings', 0])
      const answer = wires.invoke_embeddings.readAnswer(byteTextOf(text), request)
      expect(answer?.body).toBe(byteTextOf(text))
      // Only Titan reports its usage in the body.
      expect(answer?.usage?.input ?? null).toBe('inputText' in body ? inputTokens : null)
    }
  }
})

/** Counts that Bedrock reported for these bodies (tests of pydantic-ai). */
it.each([
  [titan('Hello, world!'), 5],
  [cohere('Hello, world!'), 4],
  [nova('Hello, world!'), 19],
  [nova('Test Nova settings'), 22],
])('the bound of %j covers the recorded count, %i', (body, tokens) => {
  expect(read(body).textTokensMax).toBeGreaterThanOrEqual(tokens)
})

it('an embeddings body at Bedrock is sent unchanged, except for the removed `svc`', () => {
  const body = byteTextOf('{"svc":{"session":"s"},"inputText":"é","normalize":true,"x":1.0}')
  const request = parseInvoke(body, path)
  if (isFault(request)) throw new Error(request.reason)
  expect([request.session, request.model]).toEqual(['s', 'acme/vectors'])
  expect(upstreamBody(request, 'amazon.titan-embed-text-v2:0', null)).toBe(
    byteTextOf('{"inputText":"é","normalize":true,"x":1.0}'),
  )
})

it('images in a body of Cohere are counted as images, and not as text', () => {
  const data = `data:image/png;base64,${Buffer.alloc(3_000, 7).toString('base64')}`
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image_url', image_url: { url: data } },
  ]
  for (const body of [
    { images: [data], input_type: 'image' },
    { inputs: [{ content }], input_type: 'image' },
  ]) {
    const request = read(body)
    expect(request.images?.any).toBeGreaterThan(1_000)
    expect(request.textTokensMax).toBeLessThan(300)
  }
})

describe('an embeddings body that is rejected', () => {
  const bucket = { s3Location: { uri: 's3://bucket/key' } }
  const params = nova('a').singleEmbeddingParams
  it.each<[object, string | null]>([
    [{}, null],
    [{ ...titan('a'), ...nova('a') }, null],
    [{ inputText: 1 }, 'inputText'],
    [{ inputText: 'a', inputImage: 'aaaa' }, 'inputImage'],
    [{ texts: [] }, 'texts'],
    [{ texts: ['a', 1] }, 'texts'],
    [{ images: ['https://example.com/a.png'] }, 'images'],
    [{ inputs: [{ content: [{ type: 'audio' }] }] }, 'inputs.0.content'],
    [{ ...nova('a'), segmentedEmbeddingParams: {} }, 'segmentedEmbeddingParams'],
    [{ singleEmbeddingParams: { ...params, image: { source: bucket } } }, 'singleEmbeddingParams.image'],
    [
      { singleEmbeddingParams: { ...params, text: { value: 'a', source: bucket } } },
      'singleEmbeddingParams.text.source',
    ],
    [{ singleEmbeddingParams: { ...params, text: {} } }, 'singleEmbeddingParams.text.value'],
    [{ ...titan('a'), base_url: 'https://example.com' }, 'base_url'],
  ])('the error for %j names the field %s', (body, param) => {
    expect(found(body)).toMatchObject({ kind: 'fault', param })
  })

  it('a body with a repeated field is rejected, because two parsers may read different values', () => {
    const body = byteTextOf('{"inputText":"a","inputText":"much longer"}')
    expect(parseInvoke(body, path)).toMatchObject({ kind: 'fault', param: 'inputText' })
  })

  it('a request that streams embeddings is rejected', () => {
    const body = byteTextOf(JSON.stringify(titan('a')))
    expect(parseInvoke(body, { ...path, isStream: true })).toMatchObject({ code: 'invalid_request' })
  })
})

it.each(['<html></html>', '{"embedding":[1,', '{"message":"no"}', '{"results":[{"outputText":"Hi"}]}'])(
  '%s is not accepted as a response with embeddings',
  (text) => {
    expect(wires.invoke_embeddings.readAnswer(byteTextOf(text), read(titan('a')))).toBeNull()
  },
)

it.each<[string, InvokeFamily | null]>([
  ['amazon.titan-embed-text-v2:0', 'titan'],
  ['amazon.titan-embed-text-v1', 'titan'],
  ['us.cohere.embed-v4:0', 'cohere'],
  ['cohere.embed-english-v3', 'cohere'],
  ['amazon.nova-2-multimodal-embeddings-v1:0', 'nova'],
  ['amazon.titan-text-express-v1', null],
  ['us.amazon.nova-pro-v1:0', null],
  ['cohere.command-r-v1:0', null],
])('the family of %s is %s, and a body is sent only to models of the same family', (model, family) => {
  expect(embeddingFamilyOf(model)).toBe(family)
  expect(tasksOf('bedrock', model).includes('invoke_embeddings')).toBe(family !== null)
  if (family !== null)
    expect(found(bodyOfTexts(family, { texts: ['a'], dimensions: 256, inputType: null }))).toMatchObject({
      wire: 'invoke_embeddings',
    })
})

it('if an input repeats a key, an image under either key is counted, or the request is rejected', () => {
  const image = '{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}'
  const text = '{"type":"text","text":"a"}'
  for (const input of [
    `{"content":[${text}],"content":[${image}]}`,
    `{"content":[${image}],"content":[${text}]}`,
    `{"content":[{"type":"text",${image.slice(1)}]}`,
  ]) {
    const request = parseInvoke(byteTextOf(`{"inputs":[${input}]}`), path)
    expect(isFault(request) || request.images !== null, input).toBe(true)
  }
})
