import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody } from '#wire/wire-request.ts'
import { parseChatRequest } from './parse-request.ts'

function told(fields: object): string {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields }
  const request = parseChatRequest(byteTextOf(JSON.stringify(body)))
  if (isFault(request)) return `${request.code} ${request.param}`
  expect(JSON.parse(textOf(upstreamBody(request, 'm', null)))).toEqual(body)
  return 'taken'
}

describe('a field that adds a cost that the hold does not cover', () => {
  it.each([
    ['best_of', 20],
    ['use_beam_search', true],
    ['beam_width', 4],
    ['num_beams', 4],
    ['chat_template', '{{ messages }}'],
    ['mm_processor_kwargs', { max_pixels: 1e9 }],
    ['media_io_kwargs', {}],
    ['models', ['openai/o1-pro']],
    ['route', 'fallback'],
    ['preset', 'p'],
    ['fallbacks', [{ m: ['o'] }]],
    ['context_window_fallbacks', []],
    ['extra_body', {}],
    ['search_parameters', { mode: 'auto' }],
    ['enable_search', true],
    ['search_options', {}],
    ['search_settings', {}],
    ['compound_custom', {}],
    ['data_sources', []],
    ['guardrails', [{ moderation_llm_v2: { action: 'block' } }]],
  ])('the field %s is rejected and named in the error, unless its value is null or false', (name, value) => {
    expect(told({ [name]: value })).toBe(`unsupported_for_route ${name}`)
    expect(told({ [name]: null })).toBe('taken')
    expect(told({ [name]: false })).toBe('taken')
    // If a field is repeated, a provider may read either of its values.
    const twice = `{"model":"m","messages":[{}],"${name}":null,"${name}":${JSON.stringify(value)}}`
    const request = parseChatRequest(byteTextOf(twice))
    expect(isFault(request) && request.param).toBe(name)
  })

  it.each([
    ['models', ['openai/o1-pro'], 'send the name of a router as model'],
    ['route', 'fallback', 'send the name of a router as model'],
    ['preset', 'p', 'send the settings of the preset as fields'],
    ['search_settings', {}, 'a model that searches by itself'],
    ['guardrails', [{ block_on_error: true }], 'a request to /v1/moderations'],
    ['best_of', 2, 'Omit the field'],
  ])('the error for the field %s with the value %j says what to do instead', (name, value, remedy) => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], [name]: value }
    const request = parseChatRequest(byteTextOf(JSON.stringify(body)))
    expect(isFault(request) && JSON.stringify(request)).toContain(remedy)
  })

  it('a request with models but without model is rejected, and the error says what to send as model', () => {
    const body = { models: ['acme/fast', 'acme/smart'], messages: [{ role: 'user', content: 'hi' }] }
    const request = parseChatRequest(byteTextOf(JSON.stringify(body)))
    expect(isFault(request) && JSON.stringify(request)).toContain('send the name of a router as model')
  })

  it.each([
    [{ min_tokens: 50 }, 'unsupported_for_route min_tokens'],
    [{ min_tokens: 50, max_tokens: 49 }, 'unsupported_for_route min_tokens'],
    [{ min_tokens: 50, max_tokens: 50 }, 'taken'],
    [{ min_tokens: 50, max_completion_tokens: 60 }, 'taken'],
    [{ min_tokens: 0 }, 'taken'],
    [{ min_tokens: null }, 'taken'],
    [{ min_tokens: -1 }, 'invalid_request min_tokens'],
    [{ min_tokens: '50', max_tokens: 60 }, 'invalid_request min_tokens'],
    [{ ignore_eos: true }, 'unsupported_for_route ignore_eos'],
    [{ ignore_eos: true, max_tokens: 9 }, 'taken'],
    [{ ignore_eos: false }, 'taken'],
  ])('a minimum length is accepted if the request also sets a maximum: %j', (fields, expected) => {
    expect(told(fields)).toBe(expected)
  })

  it('other unknown fields are not rejected', () => {
    expect(told({ top_k: 5, repetition_penalty: 1.1, reasoning: { effort: 'low' }, transforms: [] })).toBe(
      'taken',
    )
  })
})
