import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { readResponsesAnswer } from './non-streaming-response.ts'
import { ResponsesFrameReader } from './frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { usageFromResponses, usageToResponses } from './usage.ts'

interface Run {
  readonly body: string
  readonly tail: string
  readonly stream: PassThroughStream
}

function run(text: string, { alias = 'acme/fast', cuts = [] as readonly number[] } = {}): Run {
  const bytes = byteTextOf(text)
  const stream = new PassThroughStream(new ResponsesFrameReader(alias))
  let body = ''
  let from = 0
  for (const cut of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    body += stream.push(bytes.slice(from, cut))
    from = cut
  }
  body += stream.end()
  return { body: textOf(body), tail: textOf(stream.tail()), stream }
}

const frame = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const response = { id: 'resp_1', object: 'response', status: 'in_progress', model: 'gpt-x', output: [] }
const usage = { input_tokens: 9, output_tokens: 3, total_tokens: 12 }

const created = frame({ type: 'response.created', sequence_number: 0, response })
const added = frame({
  type: 'response.output_item.added',
  sequence_number: 1,
  output_index: 0,
  item: { id: 'msg_1', type: 'message', content: [] },
})
let sequence = 2
const delta = (text: string, more: object = {}): string =>
  frame({
    type: 'response.output_text.delta',
    sequence_number: sequence++,
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: text,
    logprobs: [],
    obfuscation: 'x'.repeat(text.length % 16),
    ...more,
  })
const ended = (type: string, more: object = {}): string =>
  frame({ type, sequence_number: 90, response: { ...response, usage, ...more } })
const completed = ended('response.completed', { status: 'completed' })
const lastSequence = 4
const answer = `${created}${added}${delta('Grüße ')}${delta('"model":"gpt-x" 世界')}${delta('\n')}`

describe('a responses stream', () => {
  it('a responses stream is forwarded unchanged except for the model name, and its end is withheld', () => {
    const { body, tail, stream } = run(answer + completed)
    expect(body).toBe(answer.replace('"model":"gpt-x","output"', '"model":"acme/fast","output"'))
    expect(tail).toBe(completed.replace('gpt-x', 'acme/fast'))
    expect(stream).toMatchObject({ state: 'done', textChunks: 3, usage: { input: 9, output: 3 } })
  })

  it('nothing is sent before the first piece of an answer', () => {
    const stream = new PassThroughStream(new ResponsesFrameReader('a'))
    expect(stream.push(byteTextOf(created + added))).toBe('')
    expect(stream.push(byteTextOf(delta('a')))).toContain('response.created')
    expect(stream.push(byteTextOf(delta('b')))).not.toContain('response.created')
  })

  it('an empty answer is withheld entirely until the request is settled', () => {
    const { body, tail } = run(created + completed, { alias: 'gpt-x' })
    expect(body).toBe('')
    expect(tail).toBe(created + completed)
  })

  it('the result does not depend on the boundaries of network chunks', () => {
    const whole = answer + completed
    const once = run(whole)
    fc.assert(
      fc.property(fc.array(fc.nat(byteTextOf(whole).length), { maxLength: 40 }), (cuts) => {
        const cut = run(whole, { cuts })
        expect([cut.body, cut.tail, cut.stream.usage, cut.stream.outputTokens]).toEqual([
          once.body,
          once.tail,
          once.stream.usage,
          once.stream.outputTokens,
        ])
      }),
      sampledRuns(3000),
    )
  })

  it.each([
    'output_text',
    'refusal',
    'reasoning_text',
    'reasoning_summary_text',
    'function_call_arguments',
    'custom_tool_call_input',
    'code_interpreter_call_code',
    'mcp_call_arguments',
    'audio.transcript',
  ])('the deltas of %s count as output', (kind) => {
    const { stream } = run(frame({ type: `response.${kind}.delta`, output_index: 0, delta: 'abcdef' }))
    expect(stream).toMatchObject({ outputTokens: 2, textChunks: 1 })
  })

  it('the first 64 tokens of a reasoning summary do not count as output that certainly arrived', () => {
    const summary = (pieces: number): string =>
      frame({ type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'thinking' }).repeat(
        pieces,
      )
    expect(run(summary(64)).stream.outputTokensSure).toBe(0)
    expect(run(summary(1000)).stream.outputTokensSure).toBe(936)
  })

  it('short summaries, encrypted reasoning and sounds do not count as output that certainly arrived', () => {
    const summary = Array.from({ length: 50 }, () =>
      frame({ type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'thinking' }),
    ).join('')
    const sealed = frame({
      type: 'response.output_item.done',
      output_index: 0,
      item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'g'.repeat(4000) },
    })
    const sound = frame({ type: 'response.audio.delta', delta: 'A'.repeat(1000) })
    const { stream } = run(summary + sealed + sound)
    expect(stream.outputTokensSure).toBe(0)
    // 3,200 characters of encrypted reasoning are about 450 tokens of hidden reasoning.
    expect(stream.outputTokens).toBeGreaterThan(450)
  })

  it('an item without deltas counts when the item is done, and an item with deltas counts only by the deltas', () => {
    const item = {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_1',
      name: 'f',
      arguments: 'x'.repeat(300),
    }
    const done = frame({ type: 'response.output_item.done', output_index: 0, item })
    const streamed = frame({
      type: 'response.function_call_arguments.delta',
      output_index: 0,
      delta: item.arguments,
    })
    expect(run(done).stream.outputTokens).toBe(101)
    expect(run(streamed + done).stream.outputTokens).toBe(101)
  })

  it('a stream that closes before its last event is interrupted', () => {
    expect(run(answer)).toMatchObject({ tail: '', stream: { state: 'open' } })
    expect(run(`${answer}data: [DONE]\n\n`)).toMatchObject({ tail: '', stream: { state: 'open' } })
  })

  it('a stream also ends at `response.incomplete`', () => {
    const end = ended('response.incomplete', { status: 'incomplete' })
    const { stream, tail } = run(answer + end)
    expect(stream.state).toBe('done')
    expect(tail).toBe(end.replace('gpt-x', 'acme/fast'))
  })

  it('events without names are read, and events after the end are ignored (OpenRouter)', () => {
    const nameless = (answer + completed).replaceAll(/event: .*\n/g, '')
    const { stream, body, tail } = run(`: OPENROUTER PROCESSING\n\n${nameless}data: [DONE]\n\n`)
    expect(stream.state).toBe('done')
    expect(body.startsWith(': OPENROUTER PROCESSING\n\ndata: ')).toBe(true)
    expect(body + tail).toBe(run(`: OPENROUTER PROCESSING\n\n${nameless}`).body + tail)
    expect(tail).not.toContain('[DONE]')
  })

  it.each([
    [
      'nested, as it is sent',
      { type: 'error', error: { type: 'server_error', code: 'too_busy', message: 'm' } },
    ],
    ['flat, as it is documented', { type: 'error', code: 'too_busy', message: 'm', param: null }],
    [
      'a failed response',
      { type: 'response.failed', response: { error: { code: 'too_busy', message: 'm' } } },
    ],
    ['an error alone', { error: { code: 'too_busy', message: 'm' } }],
  ])('an error instead of an answer (%s) is a failure without output', (_, data) => {
    const { stream, body } = run(`${created}data: ${JSON.stringify(data)}\n\n`)
    expect(stream).toMatchObject({ state: 'failed', failure: { code: 'too_busy' }, textChunks: 0 })
    expect(body).toBe('')
  })

  it('the message of a provider’s error is not shown, and the usage after the error counts', () => {
    const { stream, body } = run(
      answer +
        frame({ type: 'error', error: { message: 'secret sk-123', code: 'boom' } }) +
        ended('response.failed', { status: 'failed' }),
    )
    expect(body).not.toContain('secret')
    expect(stream).toMatchObject({
      state: 'failed',
      failure: { code: 'boom' },
      usage: { input: 9, output: 3 },
    })
  })

  it('`error: null` is not an error', () => {
    expect(run(`data: ${JSON.stringify({ type: 'x', error: null })}\n\n${answer}`).stream.state).toBe('open')
  })

  it.each([
    ['cut JSON', 'data: {"type":"x","delta":"a"\n\n'],
    ['text', 'data: hello\n\n'],
    ['more after the end', 'data: {"a":1}}\n\n'],
  ])('a responses stream stops at a frame that is %s', (_, broken) => {
    const { stream, body } = run(answer + broken + delta('never'))
    expect(stream.state).toBe('broken')
    expect(body).not.toContain('never')
  })

  it('the model’s text is never confused with the surrounding JSON', () => {
    const text = '","sequence_number":1}\n\nevent: response.completed\ndata: {"type":"response.completed"'
    const { stream, body } = run(answer + delta(text) + delta(text))
    expect(stream).toMatchObject({ state: 'open', usage: null })
    expect(body.endsWith(delta(text).slice(-20))).toBe(true)
  })

  it('unknown events and an event of two megabytes are forwarded', () => {
    const unknown = frame({ type: 'response.hologram.delta', delta: { x: 1 } })
    const image = frame({
      type: 'response.image_generation_call.partial_image',
      partial_image_b64: 'A'.repeat(2_000_000),
    })
    const { body } = run(answer + unknown + image, { alias: 'gpt-x' })
    expect(body).toBe(answer + unknown + image)
  })

  it('deltas that are recognized without parsing give the same result as parsed deltas', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 })
    const one = fc.record({
      kind: fc.constantFrom(
        'output_text',
        'output_text',
        'function_call_arguments',
        'reasoning_summary_text',
      ),
      text: word,
      itemId: fc.constantFrom('msg_1', 'msg_1', 'fc_2'),
      index: fc.constantFrom(0, 0, 1),
      padding: fc.constantFrom('', 'abc', undefined),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), (sent) => {
        const frames = sent.map(({ kind, text, itemId, index, padding }, i) =>
          frame({
            type: `response.${kind}.delta`,
            sequence_number: i,
            item_id: itemId,
            output_index: index,
            delta: text,
            ...(padding !== undefined && { obfuscation: padding }),
          }),
        )
        const together = run(frames.join(''))
        // Each frame goes to a new stream, so every frame is parsed.
        const apart = frames.map((each) => run(each))
        expect(together.body).toBe(frames.join(''))
        expect(together.stream.textChunks).toBe(apart.reduce((sum, each) => sum + each.stream.textChunks, 0))
        expect(together.stream.state).toBe('open')
      }),
      sampledRuns(3000),
    )
  })

  it('mutated frames never cause an exception, and are read quickly', () => {
    const bytes = byteTextOf(answer + completed)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (edits) => {
          let mutated = bytes
          for (const [at, byte] of edits)
            mutated = mutated.slice(0, at) + String.fromCharCode(byte) + mutated.slice(at + 1)
          withinCpu(50, () => {
            const stream = new PassThroughStream(new ResponsesFrameReader('a'))
            stream.push(mutated)
            stream.end()
            stream.tail()
            stream.spendTail(zeroUsage, spend, 'req_1')
            expect(stream.outputTokens).toBeGreaterThanOrEqual(stream.outputTokensSure)
          })
        },
      ),
      sampledRuns(20_000),
    )
  })
})

const spend = { status: 402, code: 'spend_limit_exceeded', message: 'Spent.', param: null, details: {} }

describe('the end of a stream that the spending limit has interrupted', () => {
  it('an interrupted stream ends with the failed response and its usage, then the error, and these events are numbered consecutively', () => {
    const { stream } = run(answer)
    const frames = textOf(stream.spendTail({ ...zeroUsage, input: 9, output: 2 }, spend, 'req_1'))
      .trimEnd()
      .split('\n\n')
      .map((each) => each.split('\ndata: '))
    expect(frames.map(([name]) => name)).toEqual(['event: response.failed', 'event: error'])
    const [failed, error] = frames.map(([, data]) => JSON.parse(data ?? ''))
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: lastSequence + 1,
      response: {
        id: 'resp_1',
        model: 'acme/fast',
        status: 'failed',
        error: { code: 'spend_limit_exceeded' },
        output: [],
        usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
      },
    })
    expect(error).toMatchObject({
      type: 'error',
      sequence_number: lastSequence + 2,
      error: { code: 'spend_limit_exceeded', type: 'insufficient_quota', param: null },
    })
  })

  it('an interrupted stream does not mark incomplete items as done', () => {
    const call = frame({
      type: 'response.output_item.added',
      output_index: 0,
      item: { id: 'fc_1', type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
    })
    const half = frame({
      type: 'response.function_call_arguments.delta',
      output_index: 0,
      delta: '{"a":',
    })
    const tail = textOf(run(created + call + half).stream.spendTail(zeroUsage, spend, 'req_1'))
    expect(tail).not.toMatch(/\.done|response\.completed|response\.incomplete/)
  })
})

describe('usageFromResponses', () => {
  it('cache reads, cache writes and reasoning tokens are separated from the totals', () => {
    expect(
      usageFromResponses(
        {
          input_tokens: 4020,
          input_tokens_details: {
            cached_tokens: 12,
            cache_write_tokens: 4000,
            cache_write_tokens_details: { ttl_30m_tokens: 3000, ttl_12h_tokens: 1000 },
          },
          output_tokens: 50,
          output_tokens_details: { reasoning_tokens: 20 },
        },
        'flex',
      ),
    ).toMatchObject({
      input: 8,
      cacheRead: 12,
      cacheWrite: 3000,
      cacheWriteLong: 1000,
      output: 50,
      reasoning: 20,
      serviceTier: 'flex',
    })
  })

  it('if there are more cached tokens than input tokens, both counts are billed', () => {
    const details = { cached_tokens: 40 }
    expect(
      usageFromResponses({ input_tokens: 10, input_tokens_details: details, output_tokens: 1 }, null),
    ).toMatchObject({ input: 10, cacheRead: 40 })
  })

  it('reasoning that exceeds the output is added to the output, and so are tokens that only the total includes', () => {
    const told = { input_tokens: 61, output_tokens: 18, output_tokens_details: { reasoning_tokens: 137 } }
    expect(usageFromResponses({ ...told, total_tokens: 79 }, null)).toMatchObject({
      output: 155,
      reasoning: 137,
    })
    const within = { ...told, output_tokens_details: { reasoning_tokens: 18 } }
    expect(usageFromResponses({ ...within, total_tokens: 79 }, null)).toMatchObject({ output: 18 })
    expect(usageFromResponses({ ...within, total_tokens: 97 }, null)).toMatchObject({ output: 36 })
  })

  it('all cache writes with a long lifetime count, even if they exceed the reported total of cache writes', () => {
    const details = { cache_write_tokens: 5, cache_write_tokens_details: { ttl_12h_tokens: 8 } }
    const told = { input_tokens: 20, input_tokens_details: details, output_tokens: 1 }
    expect(usageFromResponses(told, null)).toMatchObject({ input: 12, cacheWrite: 0, cacheWriteLong: 8 })
  })

  it('if one count is missing, the other count is kept', () => {
    expect(usageFromResponses({ output_tokens: 9 }, null)).toMatchObject({ output: 9, lacks: 'input' })
    expect(usageFromResponses({ input_tokens: 9 }, null)).toMatchObject({ input: 9, lacks: 'output' })
    expect(usageFromResponses({ output_tokens: 9, total_tokens: 30 }, null)).toMatchObject({
      input: 21,
      output: 9,
    })
    expect(usageFromResponses({ total_tokens: 30 }, null)).toBeNull()
  })

  it.each([[1e15], [-1], [0.5], ['12'], [Number.NaN]])(
    'if a count is %s, the usage counts as missing',
    (count) => {
      expect(usageFromResponses({ input_tokens: count, output_tokens: 1 }, null)).toBeNull()
      expect(usageFromResponses({ input_tokens: 1, output_tokens: count }, null)).toBeNull()
    },
  )

  it('an explicit zero is accepted as a count', () => {
    expect(usageFromResponses({ input_tokens: 0, output_tokens: 0 }, null)).toMatchObject({ input: 0 })
  })

  it('the counts of a written usage add up to its total, every count is present, and reading the usage again returns the same counts', () => {
    const count = fc.nat(1_000_000)
    fc.assert(
      fc.property(
        count,
        count,
        count,
        count,
        count,
        fc.nat(100),
        (input, read, short, long, output, thought) => {
          const used = {
            ...zeroUsage,
            input,
            cacheRead: read,
            cacheWrite: short,
            cacheWriteLong: long,
            output: output + thought,
            reasoning: thought,
          }
          const raw = usageToResponses(used)
          expect(usageFromResponses(raw, null)).toEqual(used)
          expect(raw).toMatchObject({ total_tokens: input + read + short + long + output + thought })
        },
      ),
    )
    expect(usageToResponses(zeroUsage)).toEqual({
      input_tokens: 0,
      input_tokens_details: {
        cached_tokens: 0,
        cache_write_tokens: 0,
      },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    })
    // Fields that make @openai/agents throw are omitted if possible.
    expect(usageToResponses({ ...zeroUsage, cacheWrite: 7 }).input_tokens_details).toEqual({
      cached_tokens: 0,
      cache_write_tokens: 7,
    })
    expect(usageToResponses({ ...zeroUsage, cacheWrite: 7, cacheWriteLong: 1 }).input_tokens_details).toEqual(
      {
        cached_tokens: 0,
        cache_write_tokens: 8,
        cache_write_tokens_details: { ttl_30m_tokens: 7, ttl_12h_tokens: 1 },
      },
    )
  })
})

describe('readResponsesAnswer', () => {
  it('only the model name in the response changes', () => {
    const body =
      '{"id":"x", "model" : "gpt-x","output":[{"type":"message","content":[{"type":"output_text","text":"\\u00e9","model":"gpt-x"}]}],"usage":{"input_tokens":1,"output_tokens":2},"big":12345678901234567890}'
    const answered = readResponsesAnswer(byteTextOf(body), 'alias')
    expect(textOf(answered?.body ?? '')).toBe(body.replace('"model" : "gpt-x"', '"model" : "alias"'))
    expect(answered).toMatchObject({ usage: { input: 1, output: 2 }, hasReportedUsage: true })
  })

  it('the gateway’s own count of the output excludes IDs and encrypted content', () => {
    const output = [
      { id: 'x'.repeat(300), type: 'reasoning', encrypted_content: 'g'.repeat(700) },
      { id: 'y'.repeat(300), type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(300) }] },
    ]
    expect(readResponsesAnswer(byteTextOf(JSON.stringify({ output })), 'a')).toMatchObject({
      usage: null,
      outputTokens: 100,
    })
  })

  it.each([
    '<html></html>',
    '{"output":[',
    '{"error":{"message":"x"}}',
    '{"output":[],"status":"failed","error":{"code":"server_error"}}',
    '{"output":[],"status":"queued"}',
    '[]',
    '',
  ])('%s is not accepted as an answer', (body) => {
    expect(readResponsesAnswer(byteTextOf(body), 'a')).toBeNull()
  })
})
