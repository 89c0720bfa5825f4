import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { rerank } from './wire.ts'

const path = { model: null, isStream: false, isJsonArray: false }
const model = 'acme/ranker'
const read = (body: object): WireRequest => {
  const request = rerank.parseRequest(byteTextOf(JSON.stringify({ model, ...body })), path)
  if (isFault(request)) throw new Error(request.reason)
  return request
}
const unitsOf = (body: object): number | undefined => read(body).uses?.searchUnits

const seed = seedOfRun()
it(`the bounds of tokens and search units are at least the provider’s counts, for any texts (seed ${seed})`, () => {
  const random = randomFrom(seed)
  const textOf = (length: number): string =>
    Array.from({ length }, () => random.pick(['word ', 'é', '𝄞', '\n', '"', ' a', 'ﷺ', 'the '])).join('')
  for (let run = 0; run < 150; run++) {
    const documents = Array.from({ length: 1 + (run % 130) }, (_, at) => {
      const text = textOf(at % 9 === 0 ? run * 9 : 3)
      return run % 3 === 0 ? { text, title: textOf(2) } : text
    })
    const limits = [{}, { max_tokens_per_doc: 1 + run * 7 }, { max_chunks_per_doc: 1 + (run % 20) }]
    const body = { query: textOf(1 + (run % 50) * 4), documents, ...random.pick(limits) }
    const request = read(body)
    const answer = play('rerank', { model, ...body }, { model: 'rerank-v3.5' })
    expect(answer.status, answer.text).toBe(200)
    const usage = rerank.readAnswer(byteTextOf(answer.text), request)?.usage
    expect(usage?.input).toBeGreaterThan(0)
    expect(request.textTokensMax).toBeGreaterThanOrEqual(usage?.input ?? Infinity)
    expect(usage?.searchUnits).toBeGreaterThan(0)
    expect(request.uses?.searchUnits).toBeGreaterThanOrEqual(usage?.searchUnits ?? Infinity)
    expect(request.textTokensMax).toBeGreaterThanOrEqual(request.inputEstimate)
    expect([usage?.output, request.outputTokensMax]).toEqual([0, 0])
  }
})

describe('a request', () => {
  it('a request is sent with the provider’s model name, without `svc`, and otherwise unchanged', () => {
    const body = byteTextOf(
      '{"svc":{"session":"s"},"query":"é","model":"acme/ranker","documents":["a",{"text":"b"}],"x":1.0}',
    )
    const request = rerank.parseRequest(body, path)
    if (isFault(request)) throw new Error(request.reason)
    expect(upstreamBody(request, 'rerank-v3.5', null)).toBe(
      byteTextOf('{"query":"é","model":"rerank-v3.5","documents":["a",{"text":"b"}],"x":1.0}'),
    )
  })

  it('the query counts once for each document', () => {
    const query = 'q'.repeat(1_000)
    const one = read({ query, documents: ['a'] }).textTokensMax
    const ten = read({ query, documents: Array.from({ length: 10 }, () => 'a') }).textTokensMax
    expect(ten - one).toBeGreaterThan(9_000)
    expect(ten - one).toBeLessThan(11_000)
  })

  it('an image counts as the tokens of an image, and not as the bytes of its data', () => {
    const image = `data:image/png;base64,${'A'.repeat(100_000)}`
    const request = read({ query: 'cat', documents: [{ image }, 'text'] })
    expect(request.images?.any ?? 0).toBeGreaterThan(1_000)
    expect(request.textTokensMax).toBeLessThan(1_000)
    expect(request.uses).toEqual({ searchUnits: 1 })
  })

  it.each([
    [1, 1],
    [100, 1],
    [101, 2],
    [1_000, 10],
  ])('a request with %i short documents has at most %i search units', (length, units) => {
    expect(unitsOf({ query: 'cat', documents: Array.from({ length }, () => 'a text') })).toBe(units)
  })

  it('every part of a long document counts, up to the length that the provider reads', () => {
    const documents = Array.from({ length: 100 }, () => 'x'.repeat(50_000))
    expect(unitsOf({ query: 'cat', documents })).toBe(11)
    expect(unitsOf({ query: 'cat', documents, max_tokens_per_doc: 500 })).toBe(1)
    expect(unitsOf({ query: 'cat', documents, max_chunks_per_doc: 1 })).toBe(2)
    expect(unitsOf({ query: 'q'.repeat(10_000), documents })).toBe(20)
  })

  it.each([
    [{ query: 'a' }, 'documents'],
    [{ query: 'a', documents: [] }, 'documents'],
    [{ query: 'a', documents: 'b' }, 'documents'],
    [{ query: 'a', documents: [1] }, 'documents'],
    [{ query: 'a', documents: [null] }, 'documents'],
    [{ query: 'a', documents: [{ image: 7 }] }, 'documents'],
    [{ documents: ['b'] }, 'query'],
    [{ query: ['a'], documents: ['b'] }, 'query'],
    [{ query: 'a', documents: ['b'], stream: true }, 'stream'],
    [{ query: 'a', documents: ['b'], max_tokens_per_doc: 0 }, 'max_tokens_per_doc'],
    [{ query: 'a', documents: ['b'], max_chunks_per_doc: 1.5 }, 'max_chunks_per_doc'],
    [{ query: 'a', documents: ['b'], base_url: 'https://example.com' }, 'base_url'],
    [{ query: 'a', documents: ['b'], mm_processor_kwargs: {} }, 'mm_processor_kwargs'],
  ])('the rerank request %j is rejected because of its %s', (body, param) => {
    const text = byteTextOf(JSON.stringify({ model, ...body }))
    expect(rerank.parseRequest(text, path)).toMatchObject({ kind: 'fault', param })
  })

  it(`a mutated rerank request never causes an exception (seed ${seed})`, () => {
    const random = randomFrom(seed)
    const whole = JSON.stringify({
      model,
      query: 'cat é',
      documents: ['a', { text: 'b' }, { image: 'AA==' }],
      top_n: 2,
    })
    for (let run = 0; run < 3_000; run++) {
      const at = random.whole(0, whole.length)
      const piece = random.pick(['', '"', '{', '[', ']', '}', 'null', '-1', '\\u0000', whole.slice(0, at)])
      const text = byteTextOf(whole.slice(0, at) + piece + whole.slice(at + random.whole(0, 5)))
      const request = rerank.parseRequest(text, path)
      if (!isFault(request)) expect(request.uses?.searchUnits).toBeGreaterThan(0)
    }
  })
})

describe('a response', () => {
  const request = read({ query: 'cat', documents: ['a', 'b'] })
  const answerTo = (text: string) => rerank.readAnswer(byteTextOf(text), request)

  it('a response has the alias as its model, and contains neither the provider’s name nor its price', () => {
    const answer = answerTo(
      '{"provider":"x","results":[{"index":1,"relevance_score":0.5}],"model":"up","usage":{"total_tokens":3,"cost":0.5,"search_units":1}}',
    )
    expect(answer?.body).toBe(
      '{"results":[{"index":1,"relevance_score":0.5}],"model":"acme/ranker","usage":{"total_tokens":3,"search_units":1}}',
    )
    expect(answer).toMatchObject({
      answeredBy: 'up',
      usage: { input: 3, searchUnits: 1, statedCostNanos: 500_000_000 },
    })
  })

  it.each([
    [
      'Cohere',
      '{"id":"1","results":[],"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":3}}}',
      0,
      3,
    ],
    ['Jina', '{"results":[],"usage":{"total_tokens":38}}', 38, 1],
    ['Voyage', '{"object":"list","data":[],"usage":{"total_tokens":26}}', 26, 1],
    ['Together', '{"results":[],"usage":{"prompt_tokens":7,"completion_tokens":0,"total_tokens":7}}', 7, 1],
    ['LiteLLM', '{"results":[],"meta":{"billed_units":{"total_tokens":12}}}', 12, 1],
  ])('the usage of a rerank response of %s is read', (_, text, input, searchUnits) => {
    expect(answerTo(text)).toMatchObject({ usage: { input, searchUnits, output: 0 }, hasReportedUsage: true })
  })

  it('a usage that reports only search units is marked as lacking the input tokens', () => {
    expect(answerTo('{"results":[],"meta":{"billed_units":{"search_units":2}}}')?.usage).toMatchObject({
      searchUnits: 2,
      lacks: 'input',
    })
    expect(
      answerTo('{"results":[],"usage":{"search_units":2,"total_tokens":5}}')?.usage?.lacks,
    ).toBeUndefined()
  })

  it.each([
    ['{"results":[],"usage":{"total_tokens":-1}}', true],
    ['{"results":[],"meta":{"billed_units":{"search_units":"1"}}}', true],
    ['{"results":[],"meta":{"billed_units":{"search_units":0.5}}}', true],
    ['{"results":[],"meta":{}}', false],
    ['{"results":[],"usage":null}', false],
    ['{"results":[]}', false],
  ])('the response %s has no plausible usage', (text, hasReportedUsage) => {
    expect(answerTo(text)).toMatchObject({ usage: null, hasReportedUsage })
  })

  it.each(['<html></html>', '{"results":[{"index":', '{"message":"invalid api token"}', '{"results":{}}'])(
    'a rerank response is not %s',
    (text) => expect(answerTo(text)).toBeNull(),
  )
})
