import type { JsonObject } from '#wire/text/json-values.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { decodeResponsesAnswer, ResponsesDecoder } from './answer-decoder.ts'

const options = { origin: 'openai-1', callIdPrefix: 'call_x' }

function decode(...frames: readonly JsonObject[]): NeutralEvent[] {
  const decoder = new ResponsesDecoder(options)
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

const response = { id: 'resp_1', model: 'gpt-x', output: [], usage: { input_tokens: 9, output_tokens: 3 } }
const completed = { type: 'response.completed', response }
const delta = (kind: string, text: string, more: JsonObject = {}): JsonObject => ({
  type: `response.${kind}.delta`,
  output_index: 0,
  content_index: 0,
  delta: text,
  ...more,
})
const added = (item: JsonObject, index = 0): JsonObject => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
})
const done = (item: JsonObject, index = 0): JsonObject => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
})
const call = (more: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'f',
  arguments: '',
  ...more,
})
const text = (said: string): NeutralEvent => ({ kind: 'text', choice: 0, text: said })
const finish = (events: readonly NeutralEvent[]): NeutralEvent | undefined =>
  events.find(({ kind }) => kind === 'finish')

describe('ResponsesDecoder', () => {
  it('a text, its usage and its end are read', () => {
    const events = decode(
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.in_progress', response: { id: 'resp_1' } },
      added({ type: 'message', id: 'msg_1', content: [] }),
      delta('output_text', 'Hel'),
      delta('output_text', 'lo'),
      { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello' },
      done({ type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Hello' }] }),
      completed,
    )
    expect(events).toMatchObject([
      { kind: 'start', id: 'resp_1' },
      text('Hel'),
      text('lo'),
      { kind: 'usage', usage: { input: 9, output: 3 } },
      { kind: 'finish', reason: 'end' },
    ])
  })

  it('the answer is read from the events, and not a second time from the completed response', () => {
    const item = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }
    for (const output of [[], [item]]) {
      const events = decode(delta('output_text', 'Hello'), {
        ...completed,
        response: { ...response, output },
      })
      expect(events.filter(({ kind }) => kind === 'text')).toEqual([text('Hello')])
    }
  })

  it('streams of servers that omit deltas, first events or last events are read', () => {
    const item = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }
    for (const frames of [
      [added({ type: 'message' }), { type: 'response.output_text.done', output_index: 0, text: 'Hello' }],
      [done(item)],
      [delta('output_text', 'He'), done(item)],
      [{ ...completed, response: { ...response, output: [item] } }],
    ]) {
      const said = decode(...frames).map((event) => (event.kind === 'text' ? event.text : ''))
      expect(said.join('')).toBe('Hello')
    }
  })

  it('items are identified by their position, because their IDs may change', () => {
    const events = decode(
      added(call({ id: 'fc_a' })),
      delta('function_call_arguments', '{"a"', { item_id: 'fc_b' }),
      delta('function_call_arguments', ':1}', { item_id: 'fc_c' }),
      done(call({ id: 'fc_d', arguments: '{"a":1}' })),
      completed,
    )
    expect(events.slice(0, 4)).toEqual([
      { kind: 'tool_call', choice: 0, slot: 0, id: 'call_1', name: 'f', isCustom: false },
      { kind: 'arguments', choice: 0, slot: 0, text: '{"a"' },
      { kind: 'arguments', choice: 0, slot: 0, text: ':1}' },
      { kind: 'tool_call_end', choice: 0, slot: 0 },
    ])
    expect(finish(events)).toMatchObject({ reason: 'tool_calls' })
  })

  it('two parallel tool calls are read as two calls, even if one function is named `parallel`', () => {
    const events = decode(
      added(call({ call_id: 'a' })),
      added(call({ call_id: 'b', name: 'parallel' }), 1),
      delta('function_call_arguments', '{}', { output_index: 1 }),
      delta('function_call_arguments', '{"x":1}'),
      done(call({ call_id: 'b' }), 1),
      done(call({ call_id: 'a' })),
      completed,
    )
    expect(events.filter(({ kind }) => kind === 'arguments')).toMatchObject([{ slot: 1 }, { slot: 0 }])
    expect(events.filter(({ kind }) => kind === 'tool_call')).toMatchObject([
      { name: 'f' },
      { name: 'parallel' },
    ])
  })

  it('a tool call without arguments gets the arguments `{}`', () => {
    for (const frames of [
      [added(call()), done(call())],
      [added(call()), completed],
    ])
      expect(decode(...frames)).toContainEqual({ kind: 'arguments', choice: 0, slot: 0, text: '{}' })
    const custom = { type: 'custom_tool_call', call_id: 'c', name: 'f', input: '' }
    const events = decode(added(custom), done(custom))
    expect(events).not.toContainEqual(expect.objectContaining({ kind: 'arguments' }))
    expect(events).toContainEqual({ kind: 'tool_call_end', choice: 0, slot: 0 })
  })

  it('a tool call starts when its name is known, and gets a generated ID if the provider sends none', () => {
    const events = decode(
      added(call({ name: '' })),
      delta('function_call_arguments', '{}'),
      done({ type: 'function_call', name: 'f', arguments: '{}' }),
    )
    expect(events).toEqual([
      { kind: 'tool_call', choice: 0, slot: 0, id: 'call_x0', name: 'f', isCustom: false },
      { kind: 'arguments', choice: 0, slot: 0, text: '{}' },
      { kind: 'tool_call_end', choice: 0, slot: 0 },
    ])
  })

  it('the encrypted content of the finished item is used, and parts of a summary are separated by a line break', () => {
    const events = decode(
      added({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'too early' }),
      delta('reasoning_summary_text', 'One', { summary_index: 0 }),
      delta('reasoning_summary_text', 'Two', { summary_index: 1 }),
      done({
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ text: 'One' }, { text: 'Two' }],
        encrypted_content: 'sealed',
      }),
    )
    expect(events).toEqual([
      { kind: 'reasoning', choice: 0, text: 'One' },
      { kind: 'reasoning', choice: 0, text: '\n\nTwo' },
      {
        kind: 'signature',
        choice: 0,
        signature: { wire: 'responses', origin: 'openai-1', kind: 'encrypted', data: 'sealed', id: 'rs_1' },
      },
    ])
  })

  it('if a server sends the thoughts and a summary, only the kind that arrives first is returned', () => {
    const events = decode(
      delta('reasoning_text', 'raw'),
      delta('reasoning_summary_text', 'short', { summary_index: 0 }),
      done({ type: 'reasoning', summary: [{ text: 'short' }], content: [{ text: 'raw' }] }),
    )
    expect(events).toEqual([{ kind: 'reasoning', choice: 0, text: 'raw' }])
  })

  it.each([
    ['response.incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'max_output'],
    ['response.incomplete', { incomplete_details: { reason: 'content_filter' } }, 'filtered'],
    ['response.incomplete', { incomplete_details: { reason: 'steered' } }, 'pause'],
    ['response.incomplete', { incomplete_details: { reason: 'new reason' } }, 'other'],
    ['response.incomplete', {}, 'other'],
    [
      'response.completed',
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      'max_output',
    ],
    ['response.completed', {}, 'end'],
  ])('the status %s with the details %j is read as %s', (type, more, reason) => {
    expect(finish(decode({ type, response: { ...response, ...more } }))).toMatchObject({ reason })
  })

  it('an answer that was cut off during reasoning has no text, and its tool calls have no end', () => {
    const cut = {
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' } },
    }
    const events = decode(added(call()), delta('function_call_arguments', '{"a'), cut)
    expect(events.map(({ kind }) => kind)).toEqual(['tool_call', 'arguments', 'start', 'finish'])
  })

  it('a refusal in the model’s own words is reported as a refusal', () => {
    const events = decode(delta('refusal', 'No.'), completed)
    expect(events).toContainEqual({ kind: 'refusal', choice: 0, text: 'No.' })
    expect(finish(events)).toMatchObject({ reason: 'refusal' })
  })

  it('citations get their position in the whole text, and lost citations are reported', () => {
    const part = (content: number, annotation: JsonObject): JsonObject => ({
      type: 'response.output_text.annotation.added',
      output_index: 0,
      content_index: content,
      annotation,
    })
    const events = decode(
      delta('output_text', '12345'),
      delta('output_text', 'abc', { content_index: 1 }),
      part(1, { type: 'url_citation', url: 'https://x', title: 'X', start_index: 0, end_index: 3 }),
      part(1, { type: 'file_citation', file_id: 'f' }),
    )
    expect(events.slice(2)).toEqual([
      { kind: 'citation', choice: 0, citation: { url: 'https://x', title: 'X', start: 5, end: 8 } },
      { kind: 'lost', what: 'annotation file_citation' },
    ])
  })

  it('citations that arrive after all texts get the position of their own part', () => {
    const cited = (said: string, url: string): JsonObject => ({
      type: 'output_text',
      text: said,
      annotations: [{ type: 'url_citation', url, title: null, start_index: 1, end_index: said.length }],
    })
    const places = (events: readonly NeutralEvent[]): unknown[] =>
      events.flatMap((event) => {
        if (event.kind !== 'citation') return []
        const { end, start, url } = event.citation
        return [{ url, start, end }]
      })
    const whole = done({ type: 'message', content: [cited('12345', 'https://x'), cited('abc', 'https://y')] })
    const expected = [
      { url: 'https://x', start: 1, end: 5 },
      { url: 'https://y', start: 6, end: 8 },
    ]
    const first = delta('output_text', '12345')
    const second = delta('output_text', 'abc', { content_index: 1 })
    expect(places(decode(first, second, whole))).toEqual(expected)
    expect(places(decode(delta('output_text', '', { content_index: 1 }), first, second, whole))).toEqual(
      expected,
    )
    expect(places(decode(whole))).toEqual(expected)
  })

  it('log probabilities are returned in the format of chat', () => {
    const logprobs = [{ token: 'a', logprob: -1, top_logprobs: [{ token: 'b', logprob: -2 }] }]
    const events = decode(
      delta('output_text', 'a', { logprobs }),
      delta('refusal', 'No.', { content_index: 1 }),
    )
    expect(events[1]).toEqual({
      kind: 'logprobs',
      choice: 0,
      tokens: [
        { token: 'a', logprob: -1, bytes: null, top_logprobs: [{ token: 'b', logprob: -2, bytes: null }] },
      ],
    })
  })

  it('items of tools that the provider runs are reported as lost, and unknown items are ignored', () => {
    const events = decode(
      added({ type: 'web_search_call', id: 'ws_1' }),
      { type: 'response.web_search_call.searching', output_index: 0 },
      { type: 'response.hologram.delta', output_index: 5, delta: 'x' },
      { type: 'constructor' },
      { type: 7 },
      {},
    )
    expect(events).toEqual([{ kind: 'lost', what: 'web_search_call' }])
  })

  it.each([
    [
      { type: 'error', error: { code: 'busy', message: 'm' } },
      { code: 'busy', message: 'm' },
    ],
    [
      { type: 'error', code: 'busy', message: 'm', param: 'p' },
      { code: 'busy', param: 'p', type: null },
    ],
    [
      { type: 'error', code: null, message: 'm' },
      { code: null, message: 'm' },
    ],
    [{ type: 'response.failed', response: { error: { code: 'server_error' } } }, { code: 'server_error' }],
    [{ type: 'response.failed' }, { code: null, message: '' }],
    [
      { type: 'response.completed', response: { status: 'failed', error: { code: 'server_error' } } },
      { code: 'server_error' },
    ],
    [{ error: 'a sentence about somebody' }, { code: null, message: 'a sentence about somebody' }],
  ])('%j is read as an error', (frame, error) => {
    const decoder = new ResponsesDecoder(options)
    const events = [...decoder.push(frame), ...decoder.end()]
    expect(events.at(-1)).toMatchObject({ kind: 'error', error })
    expect(decoder.isOver).toBe(true)
    expect(decoder.push(completed)).toEqual([])
  })

  it('an invalid usage is reported as null', () => {
    const odd = { ...response, usage: { input_tokens: -1, output_tokens: 3 } }
    expect(decode({ ...completed, response: odd })).toContainEqual({ kind: 'usage', usage: null })
  })

  it('an answer without an end event gets no finish reason', () => {
    expect(finish(decode(delta('output_text', 'Hel')))).toBeUndefined()
  })

  it('the responses decoder never throws, regardless of the content of a frame', () => {
    const types = fc.constantFrom(
      'response.created',
      'response.output_item.added',
      'response.output_item.done',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.function_call_arguments.done',
      'response.reasoning_summary_text.delta',
      'response.completed',
      'response.incomplete',
      'response.failed',
    )
    const item = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          type: fc.constantFrom('message', 'function_call', 'custom_tool_call', 'reasoning', 'x'),
          content: fc.jsonValue(),
          summary: fc.jsonValue(),
          arguments: fc.jsonValue(),
          name: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    )
    const frame = fc.record(
      {
        type: types,
        output_index: fc.oneof(fc.nat(3), fc.jsonValue()),
        delta: fc.jsonValue(),
        item,
        annotation: fc.jsonValue(),
        logprobs: fc.jsonValue(),
        response: fc.oneof(fc.jsonValue(), fc.record({ output: fc.array(item), usage: fc.jsonValue() })),
      },
      { requiredKeys: ['type'] },
    )
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), (frames) => {
        const finishes = decode(...frames).filter(({ kind }) => kind === 'finish')
        expect(finishes.length).toBeLessThanOrEqual(1)
      }),
      sampledRuns(2_000),
    )
  })
})

describe('decodeResponsesAnswer', () => {
  it('a non-streaming response gives the same events as its stream', () => {
    const body = {
      id: 'resp_1',
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
        { type: 'message', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"n":1e400}' },
      ],
      usage: { input_tokens: 1, output_tokens: 2 },
    }
    expect(decodeResponsesAnswer(body, options)?.map(({ kind }) => kind)).toEqual([
      'start',
      'signature',
      'text',
      'tool_call',
      'arguments',
      'tool_call_end',
      'usage',
      'finish',
    ])
  })

  it.each([
    [{}],
    [{ output: 'x' }],
    [{ output: [], status: 'failed' }],
    [{ output: [], status: 'in_progress' }],
    [{ output: [], error: { code: 'x' } }],
  ])('%j is not accepted as a response of the responses wire', (body) => {
    expect(decodeResponsesAnswer(body, options)).toBeNull()
  })
})
