import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { parseChatRequest } from './parse-request.ts'

function request(body: unknown): WireRequest {
  const answer = parseChatRequest(byteTextOf(typeof body === 'string' ? body : JSON.stringify(body)))
  if ('kind' in answer) throw new Error(`${answer.code} ${answer.param}: ${answer.reason}`)
  return answer
}

function refused(body: unknown): string {
  const answer = parseChatRequest(byteTextOf(typeof body === 'string' ? body : JSON.stringify(body)))
  if (!('kind' in answer)) throw new Error('it was accepted')
  return `${answer.code} ${answer.param}`
}

const hello = [{ role: 'user', content: 'hello' }]

describe('parseChatRequest', () => {
  it('the model, stream options, maximum, choices, service tier and outcome are read from a chat request', () => {
    expect(
      request({
        model: 'acme/fast',
        messages: hello,
        max_completion_tokens: 5,
        n: 2,
        stream: true,
        stream_options: { include_usage: true },
        service_tier: 'flex',
        svc: { outcome: 'ticket', outcome_id: 'r1' },
      }),
    ).toMatchObject({
      model: 'acme/fast',
      isStream: true,
      wantsUsage: true,
      outputTokensMax: 5,
      choices: 2,
      serviceTier: 'flex',
      outcome: { slug: 'ticket', runId: 'r1' },
    })
  })

  it('the service tier fast of OpenAI is another name of the tier priority', () => {
    expect(request({ model: 'm', messages: hello, service_tier: 'fast' }).serviceTier).toBe('priority')
  })

  it('the provider fetches a document at an address, and a document in a data URL is counted', () => {
    const asked = (document_url: string) =>
      request({ model: 'm', messages: [{ role: 'user', content: [{ type: 'document_url', document_url }] }] })
    expect(asked('https://example.com/a.pdf').fetched).toBe('document')
    const inline = asked('data:application/pdf;base64,JVBERi0=')
    expect([inline.fetched, inline.documents?.tokensMax]).toEqual([undefined, 7_800])
  })

  it('a null field is treated as omitted', () => {
    expect(
      request({ model: 'm', messages: hello, max_tokens: null, stream: null, n: null, svc: null }),
    ).toMatchObject({
      outputTokensMax: null,
      isStream: false,
      choices: 1,
      outcome: null,
    })
  })

  it.each([
    ['not JSON', '{"model":', 'invalid_json null'],
    ['not an object', '[1]', 'invalid_request null'],
    ['no model', { messages: hello }, 'invalid_request model'],
    ['a model that is no text', { model: 5, messages: hello }, 'invalid_request model'],
    ['no messages', { model: 'm' }, 'invalid_request messages'],
    ['empty messages', { model: 'm', messages: [] }, 'invalid_request messages'],
    ['a message that is no object', { model: 'm', messages: ['x'] }, 'invalid_request messages.0'],
    ['max_tokens 0', { model: 'm', messages: hello, max_tokens: 0 }, 'invalid_request max_tokens'],
    ['max_tokens -1', { model: 'm', messages: hello, max_tokens: -1 }, 'invalid_request max_tokens'],
    ['max_tokens 0.5', { model: 'm', messages: hello, max_tokens: 0.5 }, 'invalid_request max_tokens'],
    ['max_tokens "5"', { model: 'm', messages: hello, max_tokens: '5' }, 'invalid_request max_tokens'],
    ['max_tokens 1e400', '{"model":"m","messages":[{}],"max_tokens":1e400}', 'invalid_request max_tokens'],
    [
      'max_tokens 2^64',
      '{"model":"m","messages":[{}],"max_tokens":18446744073686646784}',
      'invalid_request max_tokens',
    ],
    ['n 18446744073686646784', '{"model":"m","messages":[{}],"n":18446744073686646784}', 'invalid_request n'],
    ['n 129', { model: 'm', messages: hello, n: 129 }, 'invalid_request n'],
    ['model twice', '{"model":"a","messages":[{}],"model":"b"}', 'invalid_request model'],
    [
      'model twice, once spelt with an escape',
      '{"model":"a","messages":[{}],"mod\\u0065l":"b"}',
      'invalid_request model',
    ],
    [
      'settings of searches that are not an object',
      { model: 'm', messages: hello, web_search_options: [] },
      'invalid_request web_search_options',
    ],
    ['a base URL', { model: 'm', messages: hello, api_base: 'https://x' }, 'unsupported_for_route api_base'],
    [
      'a file by name and as data',
      {
        model: 'm',
        messages: [
          { role: 'user', content: [{ type: 'file', file: { file_id: 'f', file_data: 'data:,a' } }] },
        ],
      },
      'unsupported_for_route messages.0.content',
    ],
    [
      'svc with more',
      { model: 'm', messages: hello, svc: { outcome: 'a', outcome_id: 'b', user: 'c' } },
      'invalid_request svc.user',
    ],
    ['a single tag', { model: 'm', messages: hello, svc: { tags: 'a' } }, 'invalid_request svc.tags'],
    [
      'a tag with a space',
      { model: 'm', messages: hello, svc: { tags: ['a b'] } },
      'invalid_request svc.tags',
    ],
    [
      'eleven tags',
      { model: 'm', messages: hello, svc: { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) } },
      'invalid_request svc.tags',
    ],
    ['svc with half', { model: 'm', messages: hello, svc: { outcome: 'a' } }, 'invalid_request svc'],
  ])('a chat request with %s is rejected', (_, body, expected) => {
    expect(refused(body)).toBe(expected)
  })

  it('a key that begins with a byte order mark is a different key, because the provider reads the mark', () => {
    const marked = request({ model: 'a', messages: hello, '\ufeffmax_tokens': 1, '\ufeffstream': true })
    expect(marked).toMatchObject({ outputTokensMax: null, isStream: false })
    expect(request({ model: '\ufeffa', messages: hello }).model).toBe('\ufeffa')
  })

  it('text is counted by its bytes, and an image is never counted by the bytes of its base64', () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } }
    const withImage = request({ model: 'm', messages: [{ role: 'user', content: [image] }] })
    expect(withImage.textTokensMax).toBeLessThan(400)
    expect(withImage.images?.any).toBe(16_000)
    const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(1000) }] })
    // The bound consists of 1,000 for the text, 32 for the request and 8 for its single message.
    expect(request(text).textTokensMax).toBe(1000 + 32 + 8)
  })

  it('the token bound includes the system prompts that Mistral adds for some settings, and no other setting adds to the bound', () => {
    const plain = request({ model: 'm', messages: hello })
    const added = (fields: object): number =>
      request({ model: 'm', messages: hello, ...fields }).textTokensMax - plain.textTokensMax
    expect(added({ prompt_mode: 'reasoning' })).toBe(384)
    expect(added({ prompt_mode: null, safe_prompt: false, random_seed: 7 })).toBe(0)
    expect(added({ prompt_mode: 'reasoning', safe_prompt: true })).toBe(384 + 64)
  })

  it('text that a tokenizer may expand is counted by its expanded bytes, escaped or not', () => {
    const unfolding = '\ufdfa'.repeat(500)
    const raw = request({ model: 'm', messages: [{ role: 'user', content: unfolding }] })
    expect(raw.textTokensMax).toBeGreaterThan(16_500)
    const escaped = request(`{"model":"m","messages":[{"role":"user","content":"${'\\ufdfa'.repeat(500)}"}]}`)
    expect(escaped.textTokensMax).toBeGreaterThan(16_500)
  })
})

describe('upstreamBody', () => {
  it('the body for the provider is unchanged if no change is needed', () => {
    const body =
      '{ "model":"m",\n "messages":[{"role":"user","content":"\\u00e9\\/"}], "seed": 12345678901234567890 }'
    expect(textOf(upstreamBody(request(body), 'm', null))).toBe(body)
  })

  it('the body for the provider has the provider’s model, the clamped maximum and the usage option, and no `svc`', () => {
    const body =
      '{"svc":{"outcome":"o","outcome_id":"r"},"model":"acme/fast","messages":[{"role":"user","content":"a, b"}],"max_tokens":900,"big":12345678901234567890,"stream":true}'
    expect(textOf(upstreamBody(request(body), 'gpt-x', 7))).toBe(
      '{"stream_options":{"include_usage":true},"model":"gpt-x","messages":[{"role":"user","content":"a, b"}],"max_tokens":7,"big":12345678901234567890,"stream":true}',
    )
  })

  it('a maximum is added with the field name that the server (OpenAI or another) accepts', () => {
    const asked = request('{"model":"m","messages":[{"role":"user","content":"a"}]}')
    const sent = (dialect: 'openai' | 'compatible') =>
      JSON.parse(textOf(upstreamBody(asked, 'm', 7, dialect)))
    expect(sent('openai')).toMatchObject({ max_completion_tokens: 7 })
    expect(sent('openai')).not.toHaveProperty('max_tokens')
    expect(sent('compatible')).toMatchObject({ max_tokens: 7 })
  })

  it('the client’s other stream options are kept', () => {
    const body = '{"model":"m","messages":[{}],"stream":true,"stream_options":{"include_obfuscation":false}}'
    expect(JSON.parse(textOf(upstreamBody(request(body), 'm', null))).stream_options).toEqual({
      include_usage: true,
      include_obfuscation: false,
    })
  })

  it('the body for the provider equals the client’s, field by field, for any unknown fields', () => {
    const extra = fc.dictionary(
      fc
        .string({ minLength: 1 })
        .filter(
          (key) =>
            !/^(model|messages|max_tokens|max_completion_tokens|stream|stream_options|n|tools|service_tier|svc|web_search_options|api_base|base_url|extra_headers|__proto__)$/.test(
              key,
            ),
        ),
      fc.jsonValue({ maxDepth: 3 }),
      { maxKeys: 4 },
    )
    const body = fc.tuple(
      extra,
      extra,
      fc.boolean(),
      fc.boolean(),
      fc.option(fc.integer({ min: 1, max: 900 })),
      fc.constantFrom(0, 2),
    )
    fc.assert(
      fc.property(body, ([before, behind, isStream, hasSvc, maxTokens, indent]) => {
        const svc = { outcome: 'o', outcome_id: 'r' }
        const sent = {
          ...before,
          model: 'alias',
          ...(hasSvc ? { svc } : {}),
          messages: hello,
          ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
          stream: isStream,
          ...behind,
        }
        const upstream: unknown = JSON.parse(
          textOf(upstreamBody(request(JSON.stringify(sent, null, indent)), 'real', 5)),
        )
        const { svc: _, ...kept } = { svc, ...sent }
        expect(upstream).toEqual({
          ...JSON.parse(JSON.stringify(kept)),
          model: 'real',
          max_tokens: 5,
          ...(isStream ? { stream_options: { include_usage: true } } : {}),
        })
      }),
      sampledRuns(3000),
    )
  })

  it('`svc` is removed at any position', () => {
    for (const body of [
      '{"svc":{"outcome":"o","outcome_id":"r"} , "model":"m","messages":[{}]}',
      '{"model":"m", "svc" : {"outcome":"o","outcome_id":"r"} ,"messages":[{}]}',
      '{"model":"m","messages":[{}] , "svc":{"outcome":"o","outcome_id":"r"} }',
    ]) {
      expect(JSON.parse(textOf(upstreamBody(request(body), 'm', null)))).toEqual({
        model: 'm',
        messages: [{}],
      })
    }
  })
})
