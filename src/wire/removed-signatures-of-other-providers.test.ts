import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { wires } from './table-of-wires.ts'
import type { OpenaiDialect, WireName } from './names-of-wires-and-tasks.ts'
import { tagOf } from './tagged-reasoning-signatures.ts'
import { isFault, upstreamBody } from './wire-request.ts'

const tag = tagOf({ wire: 'responses', origin: 'other', kind: 'encrypted', data: 'sealed', id: 'rs_1' })

function passedOn(wire: WireName, body: object, dialect?: OpenaiDialect): unknown {
  const path = { model: 'm', isStream: false, isJsonArray: false }
  const request = wires[wire].parseRequest(byteTextOf(JSON.stringify(body)), path)
  if (isFault(request)) throw new Error(request.reason)
  return JSON.parse(textOf(upstreamBody(request, 'm', null, dialect)))
}

it('messages: only thinking that another provider signed is removed from an unconverted request', () => {
  const own = { type: 'thinking', thinking: 'Hm.', signature: 'theirOwn' }
  const use = { type: 'tool_use', id: 't1', name: 'f', input: {} }
  const conversation = (content: object[]) => ({
    model: 'm',
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content },
    ],
  })
  const foreign = { type: 'thinking', thinking: 'Hm.', signature: tag }
  const redacted = { type: 'redacted_thinking', data: tag }
  expect(passedOn('messages', conversation([foreign, own, redacted, use]))).toEqual(conversation([own, use]))
  expect(passedOn('messages', conversation([own, use, foreign]))).toEqual(conversation([own, use]))
  // A text is kept even if it looks like a tagged signature.
  const said = { type: 'text', text: tag }
  expect(passedOn('messages', conversation([said]))).toEqual(conversation([said]))
})

it('in the generate format, a signature of another provider is removed, and a function call gets the placeholder for a missing signature', () => {
  const contents = (parts: object[]) => ({ contents: [{ role: 'model', parts }] })
  const call = { functionCall: { name: 'f', args: {} } }
  const body = contents([
    { ...call, thoughtSignature: tag },
    { text: 'x', thought_signature: tag, thought: true },
    { text: 'y', thoughtSignature: 'b3du' },
  ])
  expect(passedOn('generate', body)).toEqual(
    contents([
      { ...call, thoughtSignature: 'skip_thought_signature_validator' },
      { text: 'x', thought: true },
      { text: 'y', thoughtSignature: 'b3du' },
    ]),
  )
})

it('responses: reasoning that another provider signed is removed', () => {
  const item = (encrypted_content: string) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content,
  })
  const hello = { role: 'user', content: 'hi' }
  expect(passedOn('responses', { model: 'm', input: [hello, item(tag), item('own')] })).toEqual({
    model: 'm',
    input: [hello, item('own')],
  })
})

describe('reasoning of another provider in a chat request', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const history = (...said: object[]) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }, ...said.map((one) => ({ role: 'assistant', ...one }))],
  })
  const ours = { tollgate: { reasoning: [{ text: 'Hm.', seal: tag }] } }
  const theirs = { google: { thought_signature: 'b3du' } }

  it('reasoning text that the gateway signed for another provider is removed together with its signature', () => {
    const sealed = {
      content: null,
      reasoning_content: 'Hm.',
      tool_calls: [{ ...call, extra_content: ours }, call],
    }
    const own = { content: 'x', reasoning_content: 'Its own.' }
    const expected = history({ content: null, tool_calls: [call, call] }, own)
    expect(passedOn('chat', history(sealed, own))).toEqual(expected)
  })

  it('in the field of Google’s signature, a gateway signature is removed and Google’s own signature is kept', () => {
    const at = (google: object, more: object = {}) =>
      history({ content: 'x', tool_calls: [{ ...call, extra_content: { google, ...more } }] })
    const signature = { thought_signature: tag }
    expect(passedOn('chat', at(signature))).toEqual(history({ content: 'x', tool_calls: [call] }))
    expect(passedOn('chat', at({ ...signature, other: 1 }))).toEqual(at({ other: 1 }))
    expect(passedOn('chat', at(signature, ours))).toEqual(history({ content: 'x', tool_calls: [call] }))
    expect(passedOn('chat', at(theirs.google, ours))).toEqual(at(theirs.google))
    expect(passedOn('chat', at(theirs.google))).toEqual(at(theirs.google))
  })

  it('unsigned `reasoning_content` is removed for servers that do not know it, and kept for other servers', () => {
    const body = history(
      { reasoning_content: 'Hm.', content: 'x' },
      { content: 'y', reasoning_content: null },
    )
    expect(passedOn('chat', body, 'compatible')).toEqual(body)
    for (const dialect of ['openai', 'mistral', 'groq'] as const)
      expect(passedOn('chat', body, dialect)).toEqual(history({ content: 'x' }, { content: 'y' }))
  })

  it('texts that only look like a signature are kept', () => {
    const body = history({ content: `"reasoning_content" ${tag} "extra_content"` })
    expect(passedOn('chat', body, 'openai')).toEqual(body)
  })
})
