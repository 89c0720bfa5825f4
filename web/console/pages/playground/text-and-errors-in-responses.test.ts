import { expect, it } from 'vitest'
import { wireRequest, type Asked } from '#sdk/client-snippets.ts'
import { faultIn, textIn, wires } from './text-and-errors-in-responses.ts'

const asked: Asked = { wire: 'chat', model: 'acme/fast', prompt: 'Hello', maxTokens: 20, isStreamed: true }

it('the playground sends the same request as the clients of each wire', () => {
  expect(wireRequest(asked, 'ak_1')).toEqual({
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ak_1' },
    body: {
      model: 'acme/fast',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 20,
      stream: true,
    },
  })
  expect(wireRequest({ ...asked, wire: 'messages' }, 'ak_1').headers).toMatchObject({ 'x-api-key': 'ak_1' })
  expect(wireRequest({ ...asked, wire: 'responses', isStreamed: false }, 'k').body).toEqual({
    model: 'acme/fast',
    input: 'Hello',
    max_output_tokens: 20,
  })
  const generate = (isStreamed: boolean) => wireRequest({ ...asked, wire: 'generate', isStreamed }, 'k').path
  expect(generate(true)).toBe('/v1beta/models/acme/fast:streamGenerateContent?alt=sse')
  expect(generate(false)).toBe('/v1beta/models/acme/fast:generateContent')
})

it('the playground reads the text of non-streaming responses and of events', () => {
  const texts: Readonly<Record<string, readonly [unknown, unknown]>> = {
    chat: [
      { choices: [{ message: { content: 'hi' } }] },
      { choices: [{ delta: { content: 'hi' } }], usage: null },
    ],
    messages: [
      { content: [{ type: 'text', text: 'hi' }] },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'hi' } },
    ],
    responses: [
      { output: [{ content: [{ type: 'output_text', text: 'hi' }] }] },
      { type: 'response.output_text.delta', delta: 'hi' },
    ],
    generate: [
      { candidates: [{ content: { parts: [{ text: 'hi' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'h' }, { text: 'i' }] } }] },
    ],
  }
  for (const [wire] of wires) {
    expect(textIn(wire, texts[wire]?.[0]), wire).toBe('hi')
    expect(textIn(wire, texts[wire]?.[1]), wire).toBe('hi')
    for (const other of [null, 'text', [], { choices: 1 }, { type: 'ping' }])
      expect(textIn(wire, other)).toBe('')
  }
  // The last event repeats the whole text.
  expect(textIn('responses', { type: 'response.completed', response: { output: [] } })).toBe('')
})

it('the playground finds the error of each wire, and no error in a successful response', () => {
  expect(faultIn({ error: { message: 'no', code: 'x' } })?.message).toBe('no')
  expect(faultIn({ type: 'error', error: { type: 'billing_error', message: 'no' } })?.message).toBe('no')
  expect(faultIn({ type: 'error', code: 'x', message: 'no' })?.message).toBe('no')
  expect(faultIn({ type: 'response.failed', response: { error: { message: 'no' } } })?.message).toBe('no')
  expect(faultIn({ error: { code: 429 } })?.message).toBe('The request failed.')
  for (const fine of [{ choices: [] }, { error: null }, { response: { error: null } }, null])
    expect(faultIn(fine)).toBeNull()
})
