import { expect, test } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { CohereFrameReader } from './frame-reader.ts'
import { readCohereResponse } from './non-streaming-response.ts'

const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const usage = {
  billed_units: { input_tokens: 12, output_tokens: 5 },
  tokens: { input_tokens: 512, output_tokens: 8 },
}
const start = event('message-start', { id: 'c1', delta: { message: { role: 'assistant', content: [] } } })
const opens = event('content-start', {
  index: 0,
  delta: { message: { content: { type: 'text', text: '' } } },
})
const text = (said: string): string =>
  event('content-delta', { index: 0, delta: { message: { content: { text: said } } } })
const closes = event('content-end', { index: 0 })
const finish = (reason: string, more: object = {}): string =>
  event('message-end', { delta: { finish_reason: reason, usage, ...more } })
const done = 'data: [DONE]\n\n'

function opened(): PassThroughStream {
  return new PassThroughStream(new CohereFrameReader())
}

test('the start of a stream is withheld until the first text arrives, and the end until the request is settled', () => {
  const stream = opened()
  expect(stream.push(start + opens)).toBe('')
  expect(stream.push(text('Hi'))).toBe(start + opens + text('Hi'))
  expect(stream.push(text(' there'))).toBe(text(' there'))
  expect([stream.push(closes + finish('COMPLETE')), stream.state]).toEqual([closes, 'open'])
  expect([stream.push(done), stream.state]).toEqual(['', 'done'])
  expect(stream.usage).toMatchObject({ input: 12, output: 5 })
  expect(stream.tail()).toBe(finish('COMPLETE') + done)
})

test('a stream is complete and gets an end marker only if it closes after its finish reason', () => {
  const whole = opened()
  whole.push(start + opens + text('Hi') + finish('COMPLETE'))
  whole.end()
  expect([whole.state, whole.tail()]).toEqual(['done', finish('COMPLETE') + done])
  const cut = opened()
  cut.push(start + opens + text('Hi'))
  cut.end()
  expect(cut.state).toBe('open')
})

test('texts, thoughts, plans and tool calls count as output, but citations do not', () => {
  const counted = (...frames: string[]): number => {
    const stream = opened()
    for (const frame of frames) stream.push(frame)
    return stream.outputTokens
  }
  const message = (type: string, inner: object): string =>
    event(type, { index: 0, delta: { message: inner } })
  expect(counted(text('abcdef'))).toBe(2)
  expect(counted(message('content-delta', { content: { thinking: 'abcdef' } }))).toBe(2)
  expect(counted(message('tool-plan-delta', { tool_plan: 'abcdef' }))).toBe(2)
  const call = { id: 'x'.repeat(90), type: 'function', function: { name: 'abc', arguments: 'def' } }
  expect(counted(message('tool-call-start', { tool_calls: call }))).toBe(2)
  const more = message('tool-call-delta', { tool_calls: { function: { arguments: 'abcdef' } } })
  expect(counted(more, more, more)).toBe(6)
  expect(counted(message('content-delta', { content: 'abcdef' }))).toBe(2)
  expect(counted(event('content-delta', { delta: 'abcdef' }))).toBe(2)
  expect(counted(event('content-delta', { delta: { message: 'abcdef' } }))).toBe(2)
  const sources = [{ type: 'document', id: 'd', document: { text: 'x'.repeat(900) } }]
  expect(counted(message('citation-start', { citations: { text: 'x'.repeat(900), sources } }))).toBe(0)
  expect(counted(event('debug', { prompt: 'x'.repeat(900) }))).toBe(0)
})

test('an error in the last event fails the stream, and its usage is charged', () => {
  const stream = opened()
  stream.push(start + opens + text('Hi') + finish('ERROR', { error: 'internal error' }))
  expect(stream).toMatchObject({
    state: 'failed',
    failure: { message: 'internal error' },
    usage: { input: 12, output: 5 },
  })
  const early = opened()
  early.push(`data: ${JSON.stringify({ id: 'x', message: 'too many tokens: size limit exceeded' })}\n\n`)
  expect(early).toMatchObject({ state: 'failed', failure: { code: 'context_length_exceeded' } })
  const late = opened()
  late.push(start + opens + text('Hi') + finish('TIMEOUT'))
  expect(late.state).toBe('failed')
})

test('a non-streaming response is forwarded unchanged, and a failed response is not accepted', () => {
  const answer = {
    id: 'c1',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    usage,
  }
  const bytes = JSON.stringify(answer)
  expect(readCohereResponse(bytes)).toMatchObject({ body: bytes, usage: { input: 12 }, outputTokens: 5 })
  const { usage: _usage, ...unreported } = answer
  expect(readCohereResponse(JSON.stringify(unreported))).toMatchObject({
    usage: null,
    hasReportedUsage: false,
  })
  for (const other of [
    '<html>',
    '{}',
    '{"message":"no"}',
    JSON.stringify({ ...answer, finish_reason: 'ERROR' }),
  ])
    expect(readCohereResponse(other)).toBeNull()
})

test('the end of an interrupted stream contains its usage, an error and an event that is not JSON, but no end marker', () => {
  const stream = opened()
  stream.push(start + opens + text('Hi'))
  const error = { status: 402, code: 'spend_limit_exceeded', message: 'Spent', param: null, details: {} }
  const tail = stream.spendTail({ ...zeroUsage, input: 3, output: 4 }, error, 'req_1')
  const [end = '', invalid] = tail.split(/(?<=\n\n)/)
  expect(invalid).toBe('data: spend_limit_exceeded: Spent\n\n')
  expect(JSON.parse(end.slice(end.indexOf('{')))).toMatchObject({
    type: 'message-end',
    id: 'req_1',
    code: 'spend_limit_exceeded',
    delta: {
      finish_reason: 'ERROR',
      error: 'spend_limit_exceeded: Spent',
      usage: { billed_units: { input_tokens: 3, output_tokens: 4 } },
    },
  })
  expect(tail).not.toContain('[DONE]')
})
