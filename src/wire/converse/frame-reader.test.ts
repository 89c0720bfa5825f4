import { expect, test } from 'vitest'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { ConverseFrameReader } from './frame-reader.ts'
import { readConverseResponse } from './non-streaming-response.ts'

const data = (frame: object): string => `data: ${JSON.stringify(frame)}\n\n`
const usage = { inputTokens: 12, outputTokens: 5, totalTokens: 17 }
const start = data({ messageStart: { role: 'assistant', p: 'ab' } })
const text = (said: string, p = 'abc'): string =>
  data({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: said }, p } })
const stop = data({ messageStop: { stopReason: 'end_turn' } })
const metadata = data({ metadata: { usage, metrics: { latencyMs: 1 } } })

function opened(): PassThroughStream {
  return new PassThroughStream(new ConverseFrameReader('alias'))
}

test('the start of a stream is withheld until the first text arrives, and the end until the request is settled', () => {
  const stream = opened()
  expect(stream.push(start)).toBe('')
  expect(stream.push(text('Hi'))).toBe(start + text('Hi'))
  expect(stream.push(text(' there', 'x'))).toBe(text(' there', 'x'))
  expect([stream.push(stop), stream.state]).toEqual(['', 'open'])
  expect([stream.push(metadata), stream.state]).toEqual(['', 'done'])
  expect(stream.usage).toMatchObject({ input: 12, output: 5 })
  expect(stream.tail()).toBe(stop + metadata)
})

test('a stream without a usage is complete if it has a stop reason, and interrupted if it has none', () => {
  const whole = opened()
  expect(whole.push(start + text('Hi') + stop) + whole.end()).toBe(start + text('Hi'))
  expect([whole.state, whole.usage, whole.hasReportedUsage]).toEqual(['done', null, false])
  const cut = opened()
  cut.push(start + text('Hi'))
  cut.end()
  expect(cut.state).toBe('open')
})

test('the padding of a frame and the signature of shown thoughts do not count', () => {
  const counted = (...frames: object[]): number => {
    const stream = opened()
    for (const frame of frames) stream.push(data({ contentBlockDelta: { contentBlockIndex: 1, ...frame } }))
    return stream.outputTokens
  }
  const seal = { delta: { reasoningContent: { signature: 'x'.repeat(3000) } } }
  const thought = { delta: { reasoningContent: { text: 'abcdef' } } }
  expect(counted({ delta: { text: 'abcdef' }, p: 'x'.repeat(900) })).toBe(2)
  expect(counted({ delta: { toolUse: { input: 'abcdef' } } })).toBe(2)
  expect(counted(thought, seal)).toBe(2)
  expect(counted(seal)).toBeGreaterThan(100)
})

test('in the trace of a prompt router, the alias replaces the provider’s model ID', () => {
  const trace = { promptRouter: { invokedModelId: 'arn:aws:bedrock:model' } }
  const stream = opened()
  stream.push(start + text('Hi') + stop + data({ metadata: { usage, trace } }))
  expect(stream.answeredBy).toBe('arn:aws:bedrock:model')
  expect(stream.tail()).toContain('"invokedModelId":"alias"')
  const answer = { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, usage, trace }
  const whole = readConverseResponse(JSON.stringify(answer), 'alias')
  expect(whole?.body).toContain('"invokedModelId":"alias"')
  expect(whole).toMatchObject({ answeredBy: 'arn:aws:bedrock:model', usage: { input: 12 }, outputTokens: 5 })
  for (const other of ['<html>', '{}', '{"output":{"message":{}}}', '[]'])
    expect(readConverseResponse(other, 'alias')).toBeNull()
})

test('an interrupted stream has its usage and an error, and no stop reason', () => {
  const stream = opened()
  stream.push(start + text('Hi'))
  const error = { status: 402, code: 'spend_limit_exceeded', message: 'Spent', param: null, details: {} }
  const tail = stream.spendTail({ ...zeroUsage, input: 3, output: 4 }, error, 'req_1')
  expect(tail).toContain('"inputTokens":3,"outputTokens":4,"totalTokens":7')
  expect(tail).toContain('modelStreamErrorException')
  expect(tail).not.toContain('messageStop')
})
