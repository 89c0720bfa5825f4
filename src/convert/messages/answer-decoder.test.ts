import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { unnamedError } from '#wire/read-provider-error.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { decodeMessagesAnswer, messagesDecoder } from './answer-decoder.ts'
import { decoding } from '#tests/fixtures/requests-for-messages-wire-tests.ts'

function decode(...frames: JsonObject[]): NeutralEvent[] {
  const decoder = messagesDecoder(decoding)
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

const start = (message: object = {}): JsonObject => ({
  type: 'message_start',
  message: { id: 'msg_1', content: [], usage: { input_tokens: 9, output_tokens: 1 }, ...message },
})
const block = (index: number, content_block: object): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number, fields: object): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta: fields,
})
const stop = (index: number): JsonObject => ({ type: 'content_block_stop', index })
const end = (
  stop_reason: string | null,
  more: object = {},
  usage: object = { output_tokens: 3 },
): JsonObject => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, ...more },
  usage,
})

const began: NeutralEvent = { kind: 'start', id: 'msg_1' }
const finish = (reason: string, stopSequence: string | null = null): object => ({
  kind: 'finish',
  choice: 0,
  reason,
  stopSequence,
})
const used = (input: number, output: number): object =>
  expect.objectContaining({ kind: 'usage', usage: expect.objectContaining({ input, output }) })

describe('messagesDecoder', () => {
  it('text, thoughts with their signature, and tool calls are read in the order of the blocks', () => {
    const decoder = messagesDecoder(decoding)
    const events = [
      start(),
      { type: 'ping' },
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      stop(0),
      block(1, { type: 'redacted_thinking', data: 'red' }),
      stop(1),
      block(2, { type: 'text', text: '' }),
      delta(2, { type: 'text_delta', text: 'hi' }),
      stop(2),
      block(3, { type: 'tool_use', id: 'toolu_1', name: 'n', input: {} }),
      delta(3, { type: 'input_json_delta', partial_json: '' }),
      delta(3, { type: 'input_json_delta', partial_json: '{"a":' }),
      delta(3, { type: 'input_json_delta', partial_json: '1.0}' }),
      stop(3),
      end('tool_use'),
      { type: 'message_stop' },
    ].flatMap((frame) => decoder.push(frame))
    const seal = { wire: 'messages', origin: 'here', id: null }
    expect(events).toEqual([
      began,
      { kind: 'reasoning', choice: 0, text: 'hm' },
      { kind: 'signature', choice: 0, signature: { ...seal, kind: 'signature', data: 'sig' } },
      { kind: 'signature', choice: 0, signature: { ...seal, kind: 'redacted', data: 'red' } },
      { kind: 'text', choice: 0, text: 'hi' },
      { kind: 'tool_call', choice: 0, slot: 0, id: 'toolu_1', name: 'n', isCustom: false },
      { kind: 'arguments', choice: 0, slot: 0, text: '{"a":' },
      { kind: 'arguments', choice: 0, slot: 0, text: '1.0}' },
      { kind: 'tool_call_end', choice: 0, slot: 0 },
      used(9, 3),
      finish('tool_calls'),
    ])
    expect(decoder.isOver).toBe(true)
  })

  it('a tool call without arguments gets an empty object', () => {
    const open = block(0, { type: 'tool_use', id: 't', name: 'n', input: {} })
    for (const frames of [
      [open, stop(0)],
      [open, delta(0, { type: 'input_json_delta', partial_json: '' }), stop(0)],
    ])
      expect(decode(...frames).slice(1)).toEqual([
        { kind: 'arguments', choice: 0, slot: 0, text: '{}' },
        { kind: 'tool_call_end', choice: 0, slot: 0 },
      ])
  })

  it('a truncated tool call is not ended', () => {
    const events = decode(
      block(0, { type: 'tool_use', id: 't', name: 'n', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"a' }),
      end('max_tokens'),
    )
    expect(events.map(({ kind }) => kind)).toEqual(['tool_call', 'arguments', 'usage', 'finish'])
  })

  it('a tool call without an ID gets a generated ID', () => {
    expect(decode(block(0, { type: 'tool_use', name: 'n' }))).toMatchObject([{ id: 'call_x0' }])
  })

  it.each([
    ['end_turn', 'end'],
    ['max_tokens', 'max_output'],
    ['stop_sequence', 'stop_sequence'],
    ['tool_use', 'tool_calls'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'context_full'],
    ['word_that_is_new', 'other'],
  ])('the stop reason %s is read as %s', (word, reason) => {
    expect(decode(end(word)).at(-1)).toEqual(finish(reason))
  })

  it('the matched stop sequence and the explanation of a refusal are read', () => {
    expect(decode(end('stop_sequence', { stop_sequence: 'X' })).at(-1)).toEqual(finish('stop_sequence', 'X'))
    const refused = decode(start(), end('refusal', { stop_details: { type: 'refusal', explanation: 'no' } }))
    expect(refused).toMatchObject([
      { kind: 'start' },
      { kind: 'refusal', text: 'no' },
      { kind: 'usage' },
      { kind: 'finish', reason: 'refusal' },
    ])
  })

  it('the last value of each token count is used, and a usage with an invalid count is null', () => {
    expect(decode(start(), end(null, {}, { output_tokens: 5 }))).toContainEqual(used(9, 5))
    expect(decode(start(), end(null, {}, { input_tokens: 61, output_tokens: 5 }))).toContainEqual(used(61, 5))
    expect(decode(start(), end(null, {}, { output_tokens: -5 }))).toContainEqual({
      kind: 'usage',
      usage: null,
    })
    expect(decode(start())).toEqual([began])
  })

  it('a `message_start` in the middle of an answer is an error', () => {
    const call = block(0, { type: 'tool_use', id: 't', name: 'f', input: {} })
    const half = delta(0, { type: 'input_json_delta', partial_json: '{"a' })
    expect(decode(start(), call, half, start({ id: 'msg_2' })).at(-1)).toEqual({
      kind: 'error',
      error: unnamedError,
    })
    expect(decode(start(), block(0, { type: 'text', text: '' }), start()).at(-1)).toEqual({
      kind: 'error',
      error: unnamedError,
    })
  })

  it('a repeated `message_start` before the answer is accepted', () => {
    expect(decode(start(), start({ id: 'msg_2' }), delta(0, { type: 'text_delta', text: 'a' }))).toEqual([
      began,
      { kind: 'text', choice: 0, text: 'a' },
    ])
  })

  it.each([
    [
      { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } },
      { type: 'overloaded_error', message: 'Busy' },
    ],
    [
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'No.', details: { error_code: 'x', param: 'y' } },
      },
      { code: 'x', param: 'y' },
    ],
    [{ error: { type: 'a whole sentence' } }, { type: 'a whole sentence' }],
    [{ type: 'error' }, { type: null, message: '' }],
  ])('the error %j is read as %j', (frame, error) => {
    expect(decode(frame)).toMatchObject([{ kind: 'error', error }])
  })

  it('unknown content is ignored, and is reported as lost by its name', () => {
    expect(decode({ type: 'new_event' }, { error: null }, delta(7, { type: 'new_delta', x: 1 }))).toEqual([])
    expect(
      decode(
        block(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '{}' }),
        stop(0),
      ),
    ).toEqual([{ kind: 'lost', what: 'server_tool_use' }])
  })

  it('citations of web pages are read, and other citations are reported as lost', () => {
    const web = { type: 'web_search_result_location', url: 'https://x', title: 't', cited_text: 'c' }
    expect(
      decode(
        delta(0, { type: 'citations_delta', citation: web }),
        delta(0, { type: 'citations_delta', citation: { type: 'char_location' } }),
      ),
    ).toEqual([
      { kind: 'citation', choice: 0, citation: { url: 'https://x', title: 't', start: null, end: null } },
      { kind: 'lost', what: 'citations' },
    ])
  })

  it('the decoder never throws, regardless of the content of a frame', () => {
    const frames = [
      start({ content: [{ type: 'text', text: 'a', citations: [{ url: 'u' }] }] }),
      block(0, { type: 'thinking', thinking: 'a', signature: 'b' }),
      delta(0, { type: 'signature_delta', signature: 'c' }),
      block(1, { type: 'tool_use', id: 't', name: 'n', input: { a: 1 } }),
      delta(1, { type: 'input_json_delta', partial_json: '{}' }),
      delta(1, { type: 'text_delta', text: 'x' }),
      stop(1),
      end(
        'refusal',
        { stop_details: { explanation: 'e' } },
        { output_tokens: 1, iterations: [{ input_tokens: 1 }] },
      ),
      { type: 'error', error: { type: 'x' } },
    ].map((frame) => JSON.stringify(frame))
    const values = fc.constantFrom(
      'null',
      '{}',
      '[]',
      '-1',
      '1e999',
      '"x"',
      '[{}]',
      '{"a":[null]}',
      'true',
      '[[1]]',
    )
    const edits = fc.array(fc.tuple(fc.nat(frames.length - 1), fc.nat(20), values), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(edits, (made) => {
        const sent = [...frames]
        for (const [at, which, value] of made) {
          let seen = 0
          // The replaced values are the texts after a colon, which may be the frame's type.
          sent[at] = (sent[at] ?? '').replaceAll(/:("[^"]*"|-?\d+|\{\}|\[\])/g, (whole) =>
            seen++ === which % 6 ? `:${value}` : whole,
          )
        }
        const parsed = sent.map((frame) => parseObject(frame) ?? {})
        for (const event of decode(...parsed)) expect(event.kind).toBeTypeOf('string')
      }),
      sampledRuns(8000),
    )
  })
})

describe('decodeMessagesAnswer', () => {
  it('a non-streaming message gives the same events as its stream', () => {
    const body = {
      id: 'msg_1',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 't', name: 'n', input: { a: [1] } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 3 },
    }
    expect(decodeMessagesAnswer(body, decoding)).toEqual(
      decode(
        start(),
        block(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'hm' }),
        delta(0, { type: 'signature_delta', signature: 'sig' }),
        stop(0),
        block(1, { type: 'text', text: 'hi' }),
        stop(1),
        block(2, { type: 'tool_use', id: 't', name: 'n', input: {} }),
        delta(2, { type: 'input_json_delta', partial_json: '{"a":[1]}' }),
        stop(2),
        end('tool_use'),
      ),
    )
  })

  it('other JSON values are not accepted as a message of Anthropic', () => {
    expect(decodeMessagesAnswer({ type: 'error', error: {} }, decoding)).toBeNull()
  })
})
