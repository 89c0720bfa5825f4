import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { isFault, upstreamBody, type RequestPath } from '#wire/wire-request.ts'
import { parseCountRequest, parseMessagesRequest } from './parse-request.ts'

const path = { model: 'acme/claude', isStream: false, isJsonArray: false, isRawPredict: true } as const
const streamed = { ...path, isStream: true } as const
const body = {
  anthropic_version: 'vertex-2023-10-16',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Hi' }],
}
const { anthropic_version: _, ...rest } = body

function sent(given: object, at: RequestPath = path, max: number | null = null): unknown {
  const request = parseMessagesRequest(byteTextOf(JSON.stringify(given)), undefined, at)
  if (isFault(request)) return request.param
  return [
    parseObject(textOf(upstreamBody(request, 'claude', max))),
    request.model,
    request.isStream,
    request.betas ?? null,
  ]
}

describe('a body of Claude at Vertex AI’s `rawPredict`', () => {
  it('the body becomes a body of Anthropic with the model of the path', () => {
    expect(sent(body)).toEqual([{ ...rest, model: 'claude' }, 'acme/claude', false, null])
    expect(sent({ ...body, stream: false }, path, 5)).toEqual([
      { ...rest, model: 'claude', max_tokens: 5 },
      'acme/claude',
      false,
      null,
    ])
    const withBetas = { ...body, anthropic_beta: ['a-1', 'b'], svc: { session: 's' } }
    expect(sent(withBetas)).toEqual([{ ...rest, model: 'claude' }, 'acme/claude', false, 'a-1,b'])
  })

  it('a stream may have the streaming flag in the body, as the official client sends it', () => {
    const expected = [{ ...rest, model: 'claude', stream: true }, 'acme/claude', true, null]
    expect(sent({ ...body, stream: true }, streamed)).toEqual(expected)
    expect(sent(body, streamed)).toEqual(expected)
  })

  it('a request that counts tokens has the model in the body', () => {
    const { max_tokens: __, ...counted } = { ...body, model: 'acme/claude' }
    const request = parseCountRequest(byteTextOf(JSON.stringify(counted)), { ...path, model: null })
    if (isFault(request)) throw new Error(request.reason)
    expect(request.model).toBe('acme/claude')
    expect(parseObject(textOf(upstreamBody(request, 'claude', null)))).toEqual({
      model: 'claude',
      messages: body.messages,
    })
  })

  it('the provider gets the model name, also if the version after `@` is the only difference', () => {
    const { max_tokens: __, ...counted } = { ...body, model: 'claude-haiku-4-5@20251001' }
    const request = parseCountRequest(byteTextOf(JSON.stringify(counted)), { ...path, model: null })
    if (isFault(request)) throw new Error(request.reason)
    for (const model of ['claude-haiku-4-5-20251001', 'claude'])
      expect(parseObject(textOf(upstreamBody(request, model, null)))).toEqual({
        model,
        messages: body.messages,
      })
  })

  it.each([
    ['claude-haiku-4-5@20251001', 'claude-haiku-4-5-20251001'],
    ['acme/claude@default', 'acme/claude'],
    ['claude-opus-5', 'claude-opus-5'],
  ])('the model ID %s of Vertex AI is the model name %s', (id, name) => {
    const request = parseMessagesRequest(byteTextOf(JSON.stringify(body)), undefined, { ...path, model: id })
    const { max_tokens: __, ...counted } = { ...body, model: id }
    const count = parseCountRequest(byteTextOf(JSON.stringify(counted)), { ...path, model: null })
    expect([request, count]).toMatchObject([{ model: name }, { model: name }])
  })

  it.each([
    [rest, path, 'anthropic_version'],
    [{ ...body, model: 'other' }, path, 'model'],
    [{ ...body, stream: true }, path, 'stream'],
    [{ ...body, stream: false }, streamed, 'stream'],
    [{ ...body, stream: 'yes' }, path, 'stream'],
    [{ ...body, anthropic_beta: 'a' }, path, 'anthropic_beta'],
    [{ ...body, max_tokens: undefined }, path, 'max_tokens'],
  ])('%j is rejected, and the error names the field', (given, at, param) =>
    expect(sent(given, at)).toBe(param),
  )

  const seed = seedOfRun()
  it(`the order of the fields does not change the body that is sent (seed ${seed})`, () => {
    const random = randomFrom(seed)
    const fields = Object.entries({
      ...body,
      stream: true,
      anthropic_beta: ['a'],
      svc: { session: 's' },
      temperature: 1,
    })
    for (let run = 0; run < 200; run++) {
      const shuffled = fields.map((field) => ({ field, at: random.whole(0, 1_000_000) }))
      shuffled.sort((one, other) => one.at - other.at)
      expect(sent(Object.fromEntries(shuffled.map(({ field }) => field)), streamed)).toEqual([
        { ...rest, temperature: 1, model: 'claude', stream: true },
        'acme/claude',
        true,
        'a',
      ])
    }
  })
})
