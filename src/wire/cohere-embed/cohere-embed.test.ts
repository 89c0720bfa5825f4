import { describe, expect, it } from 'vitest'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { cohereEmbed } from './wire.ts'

const path = { model: null, isStream: false, isJsonArray: false } as const
const model = 'acme/vectors'
const found = (body: object) => cohereEmbed.parseRequest(byteTextOf(JSON.stringify({ model, ...body })), path)
const read = (body: object): WireRequest => {
  const request = found(body)
  if (isFault(request)) throw new Error(request.reason)
  return request
}
const data = `data:image/png;base64,${Buffer.alloc(3_000, 7).toString('base64')}`
const image = { type: 'image_url', image_url: { url: data } }

const seed = seedOfRun()
it(`the bounds of texts and images are at least the provider’s counts (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 100; run++) {
    const text = (): string =>
      Array.from({ length: 1 + (run % 40) }, () => random.pick(['word ', 'é', '𝄞', '\n', '"', ' a'])).join('')
    const texts = Array.from({ length: 1 + (run % 5) }, text)
    const inputs = texts.map((each) => ({ content: [{ type: 'text', text: each }, image] }))
    const fields = { input_type: 'search_document', truncate: null, output_dimension: 256 }
    for (const input of [{ texts }, { inputs }, { images: [data, data] }]) {
      const request = read({ ...input, ...fields })
      const { status, text: answered } = play('cohere_embed', { model, ...input, ...fields })
      expect(status, answered).toBe(200)
      const answer = cohereEmbed.readAnswer(byteTextOf(answered), request)
      expect(answer?.body).toBe(byteTextOf(answered))
      expect(request.textTokensMax).toBeGreaterThanOrEqual(answer?.usage?.input ?? Infinity)
      expect(request.images?.any ?? 0).toBeGreaterThanOrEqual(answer?.usage?.imageInput ?? Infinity)
      expect([request.wire, request.outputTokensMax]).toEqual(['cohere_embed', 0])
    }
  }
})

/** Counts that Cohere reported for these texts in public recordings. */
it.each([
  [['hello', 'world'], 2],
  [['Hello, world!'], 4],
  [['Ruby is a programmer’s best friend'], 7],
])('the bound of %j covers the recorded count', (texts, tokens) => {
  expect(read({ texts }).textTokensMax).toBeGreaterThanOrEqual(tokens)
})

it('a body is sent with the provider’s model name, without svc, and otherwise unchanged', () => {
  const body = byteTextOf(
    '{"svc":{"session":"s"},"texts":["é"],"model":"acme/vectors","embedding_types":["int8"],"x":1.0}',
  )
  const request = cohereEmbed.parseRequest(body, { ...path, version: 'v2' })
  if (isFault(request)) throw new Error(request.reason)
  expect([request.session, request.version]).toEqual(['s', 'v2'])
  expect(upstreamBody(request, 'embed-v4.0', null)).toBe(
    byteTextOf('{"texts":["é"],"model":"embed-v4.0","embedding_types":["int8"],"x":1.0}'),
  )
})

it.each([
  [{}, 'texts'],
  [{ texts: [] }, 'texts'],
  [{ texts: 'a' }, 'texts'],
  [{ texts: [1] }, 'texts'],
  [{ texts: ['a'], model: 7 }, 'model'],
  [{ texts: ['a'], stream: true }, 'stream'],
  [{ images: ['https://a.example/b.png'] }, 'images'],
  [{ inputs: [{ content: [] }] }, 'inputs.0.content'],
  [{ inputs: [{ content: [{ type: 'video' }] }] }, 'inputs.0.content'],
  [{ texts: ['a'], base_url: 'https://a.example' }, 'base_url'],
])('%j is rejected because of the field %s', (body, param) => {
  expect(found(body)).toMatchObject({ kind: 'fault', param })
})

describe('a response', () => {
  const answerTo = (text: string) => cohereEmbed.readAnswer(byteTextOf(text), read({ texts: ['a'] }))
  const billed = (units: object | null) =>
    JSON.stringify({ id: '1', embeddings: { float: [[0.5]] }, meta: { billed_units: units } })

  it.each([
    [{ input_tokens: 7, image_tokens: 0 }, 7, 0, undefined],
    [{ input_tokens: 3 }, 3, 0, undefined],
    [{ input_tokens: 3, image_tokens: 900, images: 1 }, 3, 900, undefined],
    [{ input_tokens: 3, images: 0 }, 3, 0, undefined],
    // Models of version 3 bill images as units without tokens, so the gateway counts the input.
    [{ images: 1 }, 0, 0, 'input'],
  ])('the usage in billed_units %j is read', (units, input, imageInput, lacks) => {
    const { usage, hasReportedUsage } = answerTo(billed(units)) ?? {}
    expect(usage).toMatchObject({ input, imageInput, output: 0 })
    expect([usage?.lacks, hasReportedUsage]).toEqual([lacks, true])
  })

  it.each([
    [billed({ input_tokens: -1 }), true],
    [billed({ input_tokens: '3' }), true],
    [billed({ input_tokens: 3, image_tokens: 0.5 }), true],
    [billed({}), false],
    [billed(null), false],
    ['{"embeddings":[[0.5]]}', false],
  ])('%s has no plausible usage', (text, hasReportedUsage) => {
    expect(answerTo(text)).toMatchObject({ usage: null, hasReportedUsage })
  })

  it.each(['<html></html>', '{"embeddings":[[0.5', '{"message":"invalid api token"}'])(
    '%s is not a response',
    (text) => expect(answerTo(text)).toBeNull(),
  )
})

it(`a mutated request never causes an exception (seed ${seed})`, () => {
  const random = randomFrom(seed)
  const whole = JSON.stringify({ model, texts: ['a é'], inputs: [{ content: [image] }], truncate: 'END' })
  for (let run = 0; run < 2_000; run++) {
    const at = random.whole(0, whole.length)
    const piece = random.pick(['', '"', '{', '[', ']', '}', 'null', '-1', '\\u0000', whole.slice(0, at)])
    const text = byteTextOf(whole.slice(0, at) + piece + whole.slice(at + random.whole(0, 5)))
    const request = cohereEmbed.parseRequest(text, path)
    if (!isFault(request)) expect(request.textTokensMax).toBeGreaterThan(0)
  }
})
