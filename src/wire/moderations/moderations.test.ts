import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { moderations } from './wire.ts'

const path = { model: null, isStream: false, isJsonArray: false }
const read = (body: object): WireRequest => {
  const request = moderations.parseRequest(byteTextOf(JSON.stringify(body)), path)
  if (isFault(request)) throw new Error(request.reason)
  return request
}
const model = 'acme/guard'
const image = (url: string) => ({ type: 'image_url', image_url: { url } })
const said = (text: string) => ({ type: 'text', text })

const seed = seedOfRun()
it(`the input bound is at least the provider’s count, and nothing is held for output (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 100; run++) {
    const texts = Array.from({ length: 1 + (run % 5) }, () =>
      Array.from({ length: 1 + (run % 40) }, () => random.pick(['word ', 'é', '𝄞', '\n', '"', ' a'])).join(
        '',
      ),
    )
    const parts = [...texts.map(said), image('https://example.com/a.png')]
    for (const input of [texts[0], texts, parts]) {
      const request = read({ model, input })
      const answer = play('moderations', { model, input }, { model: 'guard' })
      expect(answer.status, answer.text).toBe(200)
      const usage = wires.moderations.readAnswer(byteTextOf(answer.text), request)?.usage
      expect(usage?.input).toBeGreaterThan(0)
      expect(request.textTokensMax).toBeGreaterThanOrEqual(usage?.input ?? Infinity)
      expect(request.textTokensMax + (request.images?.any ?? 0)).toBeGreaterThanOrEqual(request.inputEstimate)
      expect([usage?.output, request.outputTokensMax]).toEqual([0, 0])
    }
  }
})

describe('a request', () => {
  it('a request is sent with the provider’s model name, without `svc`, and otherwise unchanged', () => {
    const body = byteTextOf('{"svc":{"session":"s"},"model":"acme/guard","input":["é"],"x":1.0}')
    const request = moderations.parseRequest(body, path)
    if (isFault(request)) throw new Error(request.reason)
    expect(upstreamBody(request, 'guard', null)).toBe(byteTextOf('{"model":"guard","input":["é"],"x":1.0}'))
  })

  it('a request without a model gets OpenAI’s default model, and is sent with the provider’s model name', () => {
    const request = moderations.parseRequest(byteTextOf('{"svc":{},"input":"a"}'), path)
    if (isFault(request)) throw new Error(request.reason)
    expect(request.model).toBe('omni-moderation-latest')
    expect(upstreamBody(request, 'guard', null)).toBe(byteTextOf('{"model":"guard","input":"a"}'))
    expect(() => read({ model: null, input: 'a' })).toThrow(/^The field model must be/)
  })

  it('an image counts as the tokens of an image, and not as the bytes of its data', () => {
    const data = `data:image/png;base64,${'A'.repeat(100_000)}`
    const { images, textTokensMax } = read({ model, input: [said('Hi'), image(data), image(data)] })
    expect(images?.any).toBe(2 * 16_000)
    expect(read({ model, input: [image('https://example.com/a.png')] }).images?.any).toBe(16_000)
    expect(textTokensMax).toBeLessThan(500)
  })

  it.each([
    [{}],
    [{ input: [] }],
    [{ input: 7 }],
    [{ input: ['a', said('b')] }],
    [{ input: [said('b'), 'a'] }],
    [{ input: [{ type: 'text' }] }],
    [{ input: [{ type: 'image_url', image_url: 'https://example.com/a.png' }] }],
    [{ input: [{ type: 'input_audio', input_audio: {} }] }],
  ])('a request with the fields %j is rejected', (fields) => {
    expect(() => read({ model, ...fields })).toThrow(/^The field input must be/)
  })

  it('a request for a stream is rejected', () => {
    expect(() => read({ model, input: 'a', stream: true })).toThrow('Moderations do not stream.')
  })
})

describe('a response', () => {
  const request = read({ model, input: 'a' })
  const answerTo = (text: string) => moderations.readAnswer(byteTextOf(text), request)

  it('a response has the alias as its model, and no usage if the provider reports none', () => {
    const answer = answerTo('{"id":"m","model":"omni","results":[{"flagged":false}]}')
    expect(answer?.body).toBe('{"id":"m","model":"acme/guard","results":[{"flagged":false}]}')
    expect(answer).toMatchObject({ answeredBy: 'omni', usage: null, hasReportedUsage: false })
  })

  it.each(['<html></html>', '{"data":[]}', '{"results":[', '{"results":[],"error":{"message":"no"}}'])(
    'a moderation response is not %s',
    (text) => expect(answerTo(text)).toBeNull(),
  )
})
