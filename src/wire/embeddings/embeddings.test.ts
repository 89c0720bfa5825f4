import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'

const path = { model: 'acme/vectors', isStream: false, isJsonArray: false }
const read = (wire: 'embeddings' | 'batch_embed_contents', body: object): WireRequest => {
  const request = wires[wire].parseRequest(byteTextOf(JSON.stringify(body)), path)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

const named = { model: 'acme/vectors', dimensions: 2 }
const seed = seedOfRun()
it(`the input bound is at least the provider’s count, and nothing is held for output (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 100; run++) {
    const texts = Array.from({ length: 1 + (run % 5) }, () =>
      Array.from({ length: 1 + (run % 40) }, () => random.pick(['word ', 'é', '𝄞', '\n', '"', ' a'])).join(
        '',
      ),
    )
    const tokens = texts.map((text) => Array.from(text, (_, index) => index))
    const requests = texts.map((text) => ({
      model: 'models/acme/vectors',
      content: { parts: [{ text }] },
      outputDimensionality: 2,
    }))
    const asked = [
      ['embeddings', { ...named, input: texts }],
      ['embeddings', { ...named, input: texts[0] }],
      ['embeddings', { ...named, input: tokens }],
      ['embeddings', { ...named, input: tokens[0] }],
      ['batch_embed_contents', { requests }],
    ] as const
    for (const [wire, body] of asked) {
      const request = read(wire, body)
      const answer = play(wire, body, { model: 'vectors' })
      expect(answer.status, answer.text).toBe(200)
      const usage = wires[wire].readAnswer(byteTextOf(answer.text), request)?.usage
      expect(usage?.input).toBeGreaterThan(0)
      expect(request.textTokensMax).toBeGreaterThanOrEqual(usage?.input ?? Infinity)
      expect(request.textTokensMax).toBeGreaterThanOrEqual(request.inputEstimate)
      expect([usage?.output, request.outputTokensMax]).toEqual([0, 0])
    }
  }
})

describe('a request', () => {
  it('a request is sent with the provider’s model name, without `svc`, and otherwise unchanged', () => {
    const body = byteTextOf(
      '{"svc":{"session":"s"},"requests":[{"model":"models/acme/vectors","content":{"parts":[{"text":"é"}]},"x":1.0},{"model":"acme/vectors","content":{"parts":[]}}]}',
    )
    const request = wires.batch_embed_contents.parseRequest(body, path)
    if (isFault(request)) throw new Error(request.reason)
    expect(request.session).toBe('s')
    expect(upstreamBody(request, 'gemini', null)).toBe(
      byteTextOf(
        '{"requests":[{"model":"models/gemini","content":{"parts":[{"text":"é"}]},"x":1.0},{"model":"models/gemini","content":{"parts":[]}}]}',
      ),
    )
  })

  it('a request is rejected if its body names another model than its path, because the provider would call the body’s model', () => {
    const content = { parts: [{ text: 'a' }] }
    const requests = [
      { model: 'models/acme/vectors', content },
      { model: 'models/dear', content },
    ]
    expect(() => read('batch_embed_contents', { requests })).toThrow(
      'requests.1.model and the path name different models',
    )
  })

  it.each([
    [{ input: [[1], ['a']] }],
    [{ input: [[]] }],
    [{ input: [1.5] }],
    [{ input: {} }],
    [{ input: [{ image: 'https://example.com/a.png' }] }],
  ])('a request with the input %j is rejected', (body) => {
    expect(() => read('embeddings', { model: 'm', ...body })).toThrow(/^The field input must be/)
  })
})

describe('a response', () => {
  const request = read('embeddings', { model: 'acme/vectors', input: 'a' })
  const answerTo = (text: string) => wires.embeddings.readAnswer(byteTextOf(text), request)

  it('a response has the alias as its model, and contains neither the provider’s name nor its price', () => {
    const answer = answerTo(
      '{"provider":"x","data":[{"embedding":[1.0,2e1]}],"model":"up","usage":{"prompt_tokens":3,"cost":0.5,"total_tokens":3},"system_fingerprint":"f"}',
    )
    expect(answer?.body).toBe(
      '{"data":[{"embedding":[1.0,2e1]}],"model":"acme/vectors","usage":{"prompt_tokens":3,"total_tokens":3}}',
    )
    expect(answer).toMatchObject({ answeredBy: 'up', usage: { input: 3, statedCostNanos: 500_000_000 } })
  })

  it.each([
    ['{"data":[],"usage":{"prompt_tokens":3,"total_tokens":4}}', 3, true],
    ['{"data":[],"usage":{"total_tokens":4}}', 4, true],
    ['{"data":[],"usage":{"prompt_tokens":-1}}', null, true],
    ['{"data":[],"usage":{"prompt_tokens":1.5}}', null, true],
    ['{"data":[],"usage":null}', null, false],
    ['{"data":[]}', null, false],
  ])('the response %s reports %s input tokens', (text, input, isReported) => {
    const answer = answerTo(text)
    expect([answer?.usage?.input ?? null, answer?.hasReportedUsage]).toEqual([input, isReported])
  })

  it.each([
    '<html></html>',
    '{"data":[{"embedding":[1,',
    '{"error":{"message":"no"}}',
    '{"data":[],"error":{"message":"no"}}',
    '{"choices":[]}',
  ])('%s is not accepted as an embeddings response', (text) => expect(answerTo(text)).toBeNull())
})
