import { expect, test } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { parseCohereV1 } from './parse-request.ts'
import { CohereV1Lines, cohereV1Response } from './write-response.ts'

function asked(): WireRequest {
  const path = { model: null, isStream: false, isJsonArray: false }
  const request = parseCohereV1(byteTextOf(JSON.stringify({ model: 'm', message: 'Hé?' })), path)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

function whole(response: object): unknown {
  return JSON.parse(textOf(cohereV1Response(byteTextOf(JSON.stringify(response)), asked())))
}

function lines(...parts: readonly (readonly object[])[]): unknown[] {
  const writer = new CohereV1Lines(asked())
  const written = parts.map((events) =>
    writer.write(byteTextOf(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))),
  )
  return textOf(written.join(''))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)
}

const usage = {
  billed_units: { input_tokens: 3, output_tokens: 4 },
  tokens: { input_tokens: 503, output_tokens: 4 },
  cached_tokens: 0,
}
const meta = { api_version: { version: '1' }, ...usage }
const asker = { role: 'USER', message: 'Hé?' }
const source = (id: string): object => ({
  type: 'document',
  id,
  document: { id, title: `t${id}`, text: 'x' },
})
const citation = {
  start: 0,
  end: 2,
  text: 'Hí',
  type: 'TEXT_CONTENT',
  content_index: 0,
  sources: [source('a'), source('b')],
}
const cited = { start: 0, end: 2, text: 'Hí', type: 'TEXT_CONTENT', document_ids: ['a', 'b'] }
const documents = [
  { id: 'a', title: 'ta', text: 'x' },
  { id: 'b', title: 'tb', text: 'x' },
]

test('a response has the text without thoughts, the citations, each cited document once, and `svc`', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm' },
    { type: 'text', text: 'Hí you' },
  ]
  const tool = { ...citation, sources: [{ type: 'tool', id: 'call_0:0', tool_output: { sky: 'sunny' } }] }
  const message = { role: 'assistant', content, citations: [citation, tool, citation] }
  const svc = { lost: ['tools.0'] }
  expect(whole({ svc, id: 'c1', finish_reason: 'MAX_TOKENS', message, usage })).toEqual({
    svc,
    response_id: 'c1',
    generation_id: 'c1',
    text: 'Hí you',
    finish_reason: 'MAX_TOKENS',
    chat_history: [asker, { role: 'CHATBOT', message: 'Hí you' }],
    citations: [cited, { ...cited, document_ids: ['call_0:0'] }, cited],
    documents: [...documents, { id: 'call_0:0', sky: 'sunny' }],
    meta,
  })
})

const calls = [
  { id: 'x', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris","at":1.0}' } },
  { id: 'y', type: 'function', function: { name: 'now', arguments: '' } },
  { id: 'z', type: 'function', function: { name: 'broken', arguments: '{"city":' } },
]
const callsV1 = [
  { name: 'weather', parameters: { city: 'Paris', at: 1 } },
  { name: 'now', parameters: {} },
  { name: 'broken', parameters: '{"city":' },
]

test('a response with tool calls has the plan as text, and arguments that are not JSON as a string', () => {
  const message = { role: 'assistant', tool_plan: 'I look.', tool_calls: calls }
  const response = { id: 'c1', finish_reason: 'TOOL_CALL', message, usage }
  expect(whole(response)).toMatchObject({
    text: 'I look.',
    finish_reason: 'COMPLETE',
    tool_calls: callsV1,
    chat_history: [asker, { role: 'CHATBOT', message: 'I look.', tool_calls: callsV1 }],
  })
  expect(
    textOf(cohereV1Response(byteTextOf(JSON.stringify(response).replace('1}', '1.0}')), asked())),
  ).toContain('"at":1.0')
  expect(cohereV1Response('<html>', asked())).toBe('<html>')
})

const start = { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant', content: [] } } }
const end = (reason: string, more: object = {}): object => ({
  type: 'message-end',
  delta: { finish_reason: reason, usage },
  ...more,
})
const delta = (type: string, message: object, index = 0): object => ({ type, index, delta: { message } })
const line = (type: string, fields: object): object => ({ is_finished: false, event_type: type, ...fields })

test('a stream has the events of version 1, and its last event contains the whole response and `svc`', () => {
  const text = (written: string): object => delta('content-delta', { content: { text: written } })
  const first = [start, delta('content-start', { content: { type: 'text', text: '' } }), text('Hí')]
  const thought = delta('content-delta', { content: { thinking: 'Hm' } })
  const cites = [delta('citation-start', { citations: citation }), { type: 'citation-end', index: 0 }]
  const report = { svc: { chargeMicros: '23' } }
  const last = [text(' you'), ...cites, { type: 'content-end', index: 0 }, end('COMPLETE', report)]
  expect(lines(first, [thought], last)).toEqual([
    line('stream-start', { generation_id: 'c1' }),
    line('text-generation', { text: 'Hí' }),
    line('text-generation', { text: ' you' }),
    line('citation-generation', { citations: [cited] }),
    {
      is_finished: true,
      event_type: 'stream-end',
      finish_reason: 'COMPLETE',
      ...report,
      response: {
        response_id: 'c1',
        generation_id: 'c1',
        text: 'Hí you',
        finish_reason: 'COMPLETE',
        chat_history: [asker, { role: 'CHATBOT', message: 'Hí you' }],
        citations: [cited],
        documents,
        meta,
      },
    },
  ])
})

test('a stream with tool calls has pieces of the plan and of each call, and then the calls', () => {
  const opened = (i: number): object => {
    const { function: called, ...others } = calls[i] ?? { function: {} }
    return delta('tool-call-start', { tool_calls: { ...others, function: { ...called, arguments: '' } } }, i)
  }
  const more = (i: number, written: string): object =>
    delta('tool-call-delta', { tool_calls: { function: { arguments: written } } }, i)
  const events = [
    start,
    delta('tool-plan-delta', { tool_plan: 'I look.' }),
    opened(0),
    more(0, '{"city":"Par'),
    more(0, 'is","at":1.0}'),
    { type: 'tool-call-end', index: 0 },
    opened(1),
    opened(2),
    more(2, '{"city":'),
    end('TOOL_CALL'),
  ]
  const chunk = (piece: object): object => line('tool-calls-chunk', { tool_call_delta: piece })
  expect(lines(events)).toEqual([
    line('stream-start', { generation_id: 'c1' }),
    line('tool-calls-chunk', { text: 'I look.' }),
    chunk({ index: 0, name: 'weather' }),
    chunk({ index: 0, parameters: '{"city":"Par' }),
    chunk({ index: 0, parameters: 'is","at":1.0}' }),
    chunk({ index: 1, name: 'now' }),
    chunk({ index: 2, name: 'broken' }),
    chunk({ index: 2, parameters: '{"city":' }),
    line('tool-calls-generation', { text: 'I look.', tool_calls: callsV1 }),
    expect.objectContaining({
      event_type: 'stream-end',
      finish_reason: 'COMPLETE',
      response: expect.objectContaining({ text: 'I look.', tool_calls: callsV1 }),
    }),
  ])
})

test('an interrupted stream keeps the error with its fields, and the event that is not JSON', () => {
  const writer = new CohereV1Lines(asked())
  const failed = {
    type: 'message-end',
    id: 'r1',
    code: 'c',
    delta: { finish_reason: 'ERROR', error: 'c: Spent é' },
  }
  const written = writer.write(
    byteTextOf(`data: ${JSON.stringify(failed)}\n\ndata: c: Spent é\n\ndata: [DONE]\n\n`),
  )
  const [last = '', invalid, ...others] = textOf(written).split('\n')
  expect(JSON.parse(last)).toMatchObject({
    event_type: 'stream-end',
    finish_reason: 'ERROR',
    error: 'c: Spent é',
    code: 'c',
    response: { response_id: 'r1', text: '', meta: { api_version: { version: '1' } } },
  })
  expect([invalid, ...others]).toEqual(['c: Spent é', ''])
})
