import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { readChatResponse } from '#wire/chat/non-streaming-response.ts'
import { completions } from '#wire/completions/wire.ts'
import { EventStreamDecoder } from '#wire/converse/event-stream-decoder.ts'
import { eventStreamOf } from '#wire/converse/event-stream-encoder.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { BodyFamily } from './body-families.ts'
import { completionOf } from './prompt-responses.ts'
import { InvokeChunks, invokeResponse } from './write-invoke-response.ts'

function chunks(family: BodyFamily | undefined, early: readonly object[], tail: string): unknown[] {
  const writer = new InvokeChunks(family)
  const events = early.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  let bytes = eventStreamOf(byteTextOf(events), writer)
  writer.metrics = { usage: { ...zeroUsage, input: 12, output: 5 }, firstByteMs: 3, endMs: 9 }
  bytes += eventStreamOf(byteTextOf(tail), writer) + writer.end()
  const read: unknown[] = []
  new EventStreamDecoder().push(Buffer.from(bytes, 'latin1'), ({ headers, payload }) => {
    const data = JSON.parse(payload.toString())
    const chunk = 'bytes' in data ? JSON.parse(Buffer.from(data.bytes, 'base64').toString()) : null
    read.push(chunk ?? headers.get(':exception-type'))
  })
  return read
}

const metrics = {
  'amazon-bedrock-invocationMetrics': {
    inputTokenCount: 12,
    outputTokenCount: 5,
    invocationLatency: 9,
    firstByteLatency: 3,
  },
}
const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
const piece = (text: string, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'text_completion',
  choices: [{ text, index: 0, logprobs: null, finish_reason }],
})
const counted = `data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\ndata: [DONE]\n\n`

describe('the last chunk of a stream contains the counts', () => {
  it('Claude’s counts are in the event message_stop', () => {
    const delta = { type: 'content_block_delta', delta: { text: '{"type":"message_stop"}' } }
    const stop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    expect(chunks(undefined, [delta], stop)).toEqual([delta, { type: 'message_stop', ...metrics }])
  })

  it('the input includes media', () => {
    const writer = new InvokeChunks(undefined)
    writer.metrics = { usage: { ...zeroUsage, input: 12, imageInput: 258 }, firstByteMs: 3, endMs: 9 }
    const bytes = eventStreamOf('data: {"type":"message_stop"}\n\n', writer) + writer.end()
    let count: unknown = null
    new EventStreamDecoder().push(Buffer.from(bytes, 'latin1'), ({ payload }) => {
      const chunk = JSON.parse(Buffer.from(JSON.parse(payload.toString()).bytes, 'base64').toString())
      count = chunk['amazon-bedrock-invocationMetrics'].inputTokenCount
    })
    expect(count).toBe(270)
  })

  it('Nova’s counts are in the chunk with the metadata, under Nova’s names', () => {
    const delta = { contentBlockDelta: { contentBlockIndex: 0, delta: { text: '"metadata","p":"x"}}' } } }
    const padded = { contentBlockDelta: { ...delta.contentBlockDelta, p: 'abcdefgh' } }
    const stop = { messageStop: { stopReason: 'end_turn' } }
    const counts = { inputTokens: 12, outputTokens: 5 }
    const metadata = { usage: { ...counts, cacheReadInputTokens: 2 }, p: 'abc', metrics: { latencyMs: 1 } }
    const tail = [stop, { metadata }].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    expect(chunks('nova', [delta, padded], tail)).toEqual([
      delta,
      delta,
      stop,
      {
        metadata: {
          usage: { ...counts, cacheReadInputTokenCount: 2, cacheWriteInputTokenCount: 0 },
          metrics: {},
        },
        ...metrics,
      },
    ])
  })

  it('OpenAI’s counts are in the chunk with the finish reason, or with the usage that the client requested', () => {
    const [delta, finish] = [null, 'stop'].map((finish_reason) => ({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, finish_reason }],
    })) as [object, object]
    expect(chunks('openai', [delta, finish], 'data: [DONE]\n\n')).toEqual([delta, { ...finish, ...metrics }])
    expect(chunks('openai', [delta, finish], counted)).toEqual([
      delta,
      finish,
      { id: 'c', choices: [], usage, ...metrics },
    ])
  })

  it('Llama’s responses', () => {
    const nothing = { prompt_token_count: null, generation_token_count: null, stop_reason: null }
    expect(chunks('llama', [piece('Hi ☃'), piece('', 'length')], counted)).toEqual([
      { ...nothing, generation: 'Hi ☃' },
      {
        generation: '',
        prompt_token_count: 12,
        generation_token_count: 5,
        stop_reason: 'length',
        ...metrics,
      },
    ])
  })

  it('Mistral’s responses', () => {
    expect(chunks('mistral', [piece('Hi'), piece('', 'stop')], counted)).toEqual([
      { outputs: [{ text: 'Hi', stop_reason: null }] },
      { outputs: [{ text: '', stop_reason: 'stop' }], ...metrics },
    ])
  })

  it('Titan’s responses', () => {
    const begin = { outputText: 'Hi', index: 0, completionReason: null }
    expect(chunks('titan', [piece('Hi'), piece('', 'stop')], counted)).toEqual([
      { ...begin, totalOutputTextTokenCount: null, inputTextTokenCount: null },
      {
        outputText: '',
        index: 0,
        completionReason: 'FINISH',
        totalOutputTextTokenCount: 5,
        inputTextTokenCount: 12,
        ...metrics,
      },
    ])
  })

  it('Command’s counts are in the chunk that ends the last of several answers', () => {
    const second = { ...piece('Ho'), choices: [{ text: 'Ho', index: 1, finish_reason: 'length' }] }
    expect(chunks('command', [piece('Hi'), piece('', 'stop'), second], counted)).toEqual([
      { text: 'Hi', is_finished: false },
      { finish_reason: 'COMPLETE', is_finished: true },
      { index: 1, text: 'Ho', finish_reason: 'MAX_TOKENS', is_finished: true, ...metrics },
    ])
  })
})

it('an error becomes an exception after all withheld chunks, and the last chunk contains the report of the charge', () => {
  const error = `data: ${JSON.stringify({ error: { type: 'rate_limit_error', message: 'Wait' } })}\n\ndata: [DONE]\n\n`
  const cut = chunks('mistral', [piece('Hi'), piece('', 'spend_limit_exceeded')], error)
  expect(cut.slice(1)).toEqual([
    { outputs: [{ text: '', stop_reason: 'length' }], ...metrics },
    'throttlingException',
  ])
  const report = `data: ${JSON.stringify({ choices: [], usage, svc: { chargeMicros: '9' } })}\n\n`
  expect(chunks('mistral', [piece('Hi', 'stop')], report).at(-1)).toEqual({
    outputs: [{ text: 'Hi', stop_reason: 'stop' }],
    svc: { chargeMicros: '9' },
    ...metrics,
  })
})

/** Responses of Bedrock (recorded by the tests of OpenLLMetry and OpenTelemetry). */
const recorded = {
  llama: { generation: 'Hi', prompt_token_count: 6, generation_token_count: 18, stop_reason: 'length' },
  mistral: { outputs: [{ text: ' to find out', stop_reason: 'length' }] },
  titan: {
    inputTextTokenCount: 6,
    results: [{ tokenCount: 26, outputText: '\nHey there', completionReason: 'FINISH' }],
  },
  command: {
    id: 'a09c',
    prompt: 'Say this',
    generations: [{ id: 'a09c-0', text: ' Let it be', finish_reason: 'MAX_TOKENS' }],
  },
} as const

it.each(['llama', 'mistral', 'titan', 'command'] as const)(
  'a response of %s is converted to a text completion and back to the same response',
  (family) => {
    const completion = completionOf(recorded[family])
    if (completion === null) throw new Error('the response has no known shape')
    const body = byteTextOf(JSON.stringify(completion))
    const text = byteTextOf(JSON.stringify({ prompt: 'Say this' }))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function reads only these two members
    const written = invokeResponse(body, { family, text } as WireRequest)
    expect(JSON.parse(textOf(written))).toEqual(recorded[family])
  },
)

it.each([
  [recorded.llama, { prompt_tokens: 6, completion_tokens: 18, total_tokens: 24 }],
  [recorded.titan, { prompt_tokens: 6, completion_tokens: 26, total_tokens: 32 }],
  [recorded.mistral, undefined],
  [{ generation: 'a', ...metrics }, usage],
])('the usage of %j is %j', (response, expected) => {
  expect(completionOf(response)?.['usage']).toEqual(expected)
})

it.each([{}, { message: 'no' }, { type: 'message_stop' }, { embedding: [1] }])(
  '%j has the shape of no family',
  (response) => {
    expect(completionOf(response)).toBeNull()
  },
)

describe('a failed answer of Command', () => {
  const failed = (reason: string) => ({ text: 'Half of', finish_reason: reason })
  const read = (response: JsonObject) =>
    readChatResponse(byteTextOf(JSON.stringify(completionOf(response))), 'alias')

  it.each(['ERROR', 'ERROR_LIMIT', 'USER_CANCEL'])(
    'with the finish reason %s, the response is not an answer',
    (reason) => {
      expect(read({ id: 'a', generations: [failed(reason)] })).toBeNull()
      expect(read({ id: 'a', generations: [failed('COMPLETE')] })).not.toBeNull()
    },
  )

  it.each(['ERROR', 'ERROR_LIMIT', 'USER_CANCEL'])(
    'with the finish reason %s, the stream fails',
    (reason) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function reads only these members
      const request = { model: 'alias', wantsReport: false, wantsUsage: false } as WireRequest
      const stream = completions.openStream(request)
      const push = (chunk: JsonObject) => stream.push(`data: ${JSON.stringify(completionOf(chunk))}\n\n`)
      push({ text: 'Half of', is_finished: false })
      push({ finish_reason: reason, is_finished: true })
      expect(stream.state).toBe('failed')
    },
  )

  it('a failed answer next to a complete answer keeps its finish reason', () => {
    const completion = completionOf({ id: 'a', generations: [failed('COMPLETE'), failed('ERROR')] })
    const text = byteTextOf(JSON.stringify({ prompt: 'Say this' }))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function reads only these two members
    const request = { family: 'command', text } as WireRequest
    const written = invokeResponse(byteTextOf(JSON.stringify(completion)), request)
    expect(JSON.parse(textOf(written))).toMatchObject({
      generations: [{ finish_reason: 'COMPLETE' }, { finish_reason: 'ERROR' }],
    })
  })
})
