import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { readChatResponse } from './non-streaming-response.ts'
import { ChatFrameReader } from './frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { UsageWish } from '#wire/wire-request.ts'
import { usageFromChat } from './usage.ts'

interface Run {
  readonly body: string
  readonly tail: string
  readonly stream: PassThroughStream
}

function run(
  text: string,
  {
    alias = 'acme/fast',
    wantsUsage = false,
    wantsReport = false,
    cuts = [],
  }: {
    readonly alias?: string
    readonly wantsUsage?: UsageWish
    readonly wantsReport?: boolean
    readonly cuts?: readonly number[]
  } = {},
): Run {
  const bytes = byteTextOf(text)
  const stream = new PassThroughStream(new ChatFrameReader(alias, wantsUsage, undefined, wantsReport))
  let body = ''
  let from = 0
  for (const cut of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    body += stream.push(bytes.slice(from, cut))
    from = cut
  }
  body += stream.end()
  return { body: textOf(body), tail: textOf(stream.tail()), stream }
}

const frame = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\n\n`
const chunk = (delta: unknown, finish: string | null = null, more: object = {}): string =>
  frame({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-x',
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: null,
    ...more,
  })
const usageChunk = frame({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-x',
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
})
const answer = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Grüße ' }),
  chunk({ content: '"model":"gpt-x" 世界' }),
  chunk({}, 'stop'),
].join('')
const whole = `${answer}${usageChunk}data: [DONE]\n\n`

describe('a chat stream', () => {
  it('with a charge report, a stream has usage only in its usage chunk', () => {
    const { body, tail } = run(whole, { wantsUsage: true, wantsReport: true })
    expect(body).not.toContain('"usage"')
    expect(tail).toContain('"usage":{"prompt_tokens":9')
  })

  it('a chat stream is forwarded unchanged except for the model name and fields that the client did not request', () => {
    const { body, tail, stream } = run(whole)
    expect(body).toBe(
      answer
        .replaceAll('"model":"gpt-x","choices"', '"model":"acme/fast","choices"')
        .replaceAll(',"usage":null', ''),
    )
    expect(tail).toBe('data: [DONE]\n\n')
    expect(stream).toMatchObject({
      state: 'done',
      textChunks: 2,
      usage: { input: 9, output: 3 },
    })
  })

  it.each([usageChunk, usageChunk.replace('"choices":[],', '')])(
    'a client that reads the first choice of each chunk gets a usage chunk with a choice, and no null usage',
    (ending) => {
      const { body, tail } = run(`${answer}${ending}data: [DONE]\n\n`, { wantsUsage: 'withChoice' })
      expect(body).not.toContain('"usage"')
      const [, data = ''] = /^data: (.*)\n\ndata: \[DONE\]\n\n$/.exec(tail) ?? []
      expect(JSON.parse(data)).toMatchObject({
        choices: [{ index: 0, delta: { content: '' }, finish_reason: null }],
        usage: { prompt_tokens: 9, completion_tokens: 3 },
      })
    },
  )

  it('a client that requested the usage chunk gets the chunk after the request is settled', () => {
    const { body, tail } = run(whole, { wantsUsage: true })
    expect(body).toBe(answer.replaceAll('"model":"gpt-x","choices"', '"model":"acme/fast","choices"'))
    expect(tail).toBe(`${usageChunk.replace('gpt-x', 'acme/fast')}data: [DONE]\n\n`)
  })

  it('the result does not depend on the boundaries of network chunks', () => {
    const length = byteTextOf(whole).length
    fc.assert(
      fc.property(fc.array(fc.nat(length), { maxLength: 40 }), fc.boolean(), (cuts, wantsUsage) => {
        const once = run(whole, { wantsUsage })
        const cut = run(whole, { wantsUsage, cuts })
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

  it('reasoning, refusals and tool arguments count as output, like content', () => {
    for (const delta of [
      { content: 'abcdef' },
      { reasoning_content: 'abcdef' },
      { reasoning: 'abcdef' },
      { refusal: 'abcdef' },
      { tool_calls: [{ index: 0, function: { arguments: 'abcdef' } }] },
    ]) {
      expect(run(chunk(delta)).stream).toMatchObject({ outputTokens: 2, textChunks: 1 })
    }
  })

  it('a chunk with text counts as at least one token', () => {
    expect(run(chunk({ content: 'a' }).repeat(10)).stream.outputTokens).toBe(10)
  })

  it('a stream that closes after its finish reason is complete, and otherwise the stream is interrupted', () => {
    expect(run(answer)).toMatchObject({ tail: 'data: [DONE]\n\n', stream: { state: 'done' } })
    expect(run(chunk({ content: 'a' }))).toMatchObject({ tail: '', stream: { state: 'open' } })
    expect(run(chunk({ content: 'a' }, ''))).toMatchObject({ tail: '', stream: { state: 'open' } })
  })

  it.each([
    ['cut JSON', 'data: {"id":"x","choices":[{"delta":{"content":"a"\n\n'],
    ['text', 'data: hello\n\n'],
    ['a string without end', 'data: {"a":"b\n\n'],
    ['more after the end', 'data: {"a":1}}\n\n'],
  ])('a stream stops at a frame that is %s', (_, broken) => {
    const { stream, body } = run(chunk({ content: 'a' }) + broken + chunk({ content: 'b' }))
    expect(stream.state).toBe('broken')
    expect(body).not.toContain('"b"')
  })

  it('the text of a provider’s error is not shown to the client', () => {
    const { stream, body } = run(
      chunk({ content: 'a' }) + frame({ error: { message: 'secret key sk-123', code: 500 } }),
    )
    expect(stream).toMatchObject({ state: 'failed', failure: { status: 500 } })
    expect(body).not.toContain('secret')
  })

  it('text in unknown fields of a long chunk also counts', () => {
    const more = { other: 'x'.repeat(9000) }
    expect(run(chunk({ content: 'abc' }, null, more)).stream.outputTokens).toBe(3001)
    expect(run(chunk({ content: 'abc' }, null, { citations: [more.other] })).stream.outputTokens).toBe(1)
  })

  it('if the provider sends an error object in place of a chunk (vLLM), the error is recognized and not forwarded', () => {
    const { stream, body } = run(
      frame({ object: 'error', message: 'secret', type: 'BadRequestError', code: 400 }),
    )
    expect(stream).toMatchObject({ state: 'failed', textChunks: 0, hasDelivered: false })
    expect(stream.failure).toMatchObject({ status: 400, type: 'BadRequestError' })
    expect(body).toBe('')
  })

  it('the model’s text is never confused with the surrounding JSON', () => {
    const { body, stream } = run(
      chunk({ content: '{"usage":{"prompt_tokens":1},"error":{},"model":"gpt-x"}' }),
    )
    expect(stream).toMatchObject({ state: 'open', usage: null, hasReportedUsage: false })
    expect(JSON.parse(body.slice(6)).choices[0].delta.content).toContain('"model":"gpt-x"')
  })

  it('comments and chunks without choices (moderation, filters) are forwarded', () => {
    const { body } = run(
      `: PROCESSING\n\n${frame({ id: '', choices: [], prompt_filter_results: [] })}${answer}`,
    )
    expect(body).toContain(': PROCESSING')
    expect(body).toContain('prompt_filter_results')
  })

  it('nothing is sent before the first piece of the answer, so that an early error can become an HTTP status', () => {
    const role = chunk({ role: 'assistant', content: '', refusal: null })
    const failed = run(
      `: PROCESSING\n\n${role}${frame({ error: { message: 'busy', type: 'server_error' } })}`,
    )
    expect(failed.stream.state).toBe('failed')
    expect(failed.body).toBe('')
    const stream = new PassThroughStream(new ChatFrameReader('gpt-x', false))
    expect(stream.push(role)).toBe('')
    expect(stream.push(chunk({ content: 'a' }))).toContain('"role":"assistant"')
    // If an answer consists only of its end, the earlier frames are still sent before the end.
    const empty = run(`${role}${chunk({}, 'stop')}data: [DONE]\n\n`)
    expect(empty.body + empty.tail).toContain('"role":"assistant"')
  })

  it('chunks that are recognized without parsing give the same result as parsed chunks', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 })
    const delta = fc.oneof(
      word.map((content) => ({ content })),
      word.map((content) => ({ reasoning_content: content })),
      word.map((content) => ({ content, refusal: null })),
      fc.constant({ content: '"},"finish_reason":"stop"' }),
    )
    const sent = fc.array(fc.tuple(delta, fc.constantFrom(null, null, null, 'stop')), { maxLength: 20 })
    fc.assert(
      fc.property(sent, fc.boolean(), (chunks, wantsUsage) => {
        // The first frame contains two texts, so the reader learns no shape from it.
        const begin = chunk({ content: 'a', reasoning_content: 'b' })
        const begun = run(begin, { wantsUsage }).body
        const text = chunks.map(([one, finish]) => chunk(one, finish)).join('')
        const together = run(begin + text, { wantsUsage })
        // The stream is new for each chunk, so every chunk is parsed.
        const apart = chunks.map(([one, finish]) => run(begin + chunk(one, finish), { wantsUsage }))
        expect(together.body).toBe(begun + apart.map(({ body }) => body.slice(begun.length)).join(''))
        expect(together.stream.textChunks).toBe(
          1 + apart.reduce((sum, { stream }) => sum + stream.textChunks - 1, 0),
        )
        // Without the end marker, a stream counts as complete only after a finish reason.
        expect(together.stream.state === 'done').toBe(chunks.some(([, finish]) => finish !== null))
      }),
      sampledRuns(3000),
    )
  })

  it('mutated frames never cause an exception, and text of any language is read', () => {
    const bytes = byteTextOf(whole)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (edits) => {
          let mutated = bytes
          for (const [at, byte] of edits) {
            mutated = mutated.slice(0, at) + String.fromCharCode(byte) + mutated.slice(at + 1)
          }
          const stream = new PassThroughStream(new ChatFrameReader('a', false))
          stream.push(mutated)
          stream.end()
          stream.tail()
          expect(stream.outputTokens).toBeGreaterThanOrEqual(0)
        },
      ),
      sampledRuns(5000),
    )
  })

  const recordings = new URL('../../../../shared/recordings/', import.meta.url)
  it.skipIf(!existsSync(recordings))('recorded streams are forwarded unchanged, for any chunk size', () => {
    for (const name of ['vercel-ai/mistral-incremental-tool-call.chunks.txt']) {
      const lines = readFileSync(new URL(name, recordings), 'utf8').trim().split('\n')
      const text = `${lines.map((line) => `data: ${line}\n\n`).join('')}data: [DONE]\n\n`
      const model: unknown = JSON.parse(lines[0] ?? '').model
      const once = run(text, { alias: String(model), wantsUsage: true })
      expect(once.body + once.tail).toBe(text)
      const last: unknown = lines.map((line) => JSON.parse(line).usage).findLast(Boolean)
      expect(once.stream.usage).toEqual(usageFromChat(last, null))
      fc.assert(
        fc.property(fc.array(fc.nat(byteTextOf(text).length), { maxLength: 50 }), (cuts) => {
          const cut = run(text, { alias: String(model), wantsUsage: true, cuts })
          expect(cut.body + cut.tail).toBe(text)
        }),
        { numRuns: 500 },
      )
    }
  })
})

describe('usageFromChat', () => {
  it('cache reads, cache writes and reasoning tokens are separated from the totals', () => {
    expect(
      usageFromChat(
        {
          prompt_tokens: 4020,
          completion_tokens: 50,
          prompt_tokens_details: { cached_tokens: 12, cache_write_tokens: 4000 },
          completion_tokens_details: { reasoning_tokens: 20 },
        },
        'flex',
      ),
    ).toMatchObject({
      input: 8,
      cacheRead: 12,
      cacheWrite: 4000,
      output: 50,
      reasoning: 20,
      serviceTier: 'flex',
    })
  })

  it('cached tokens are recognized under the field names of other vendors', () => {
    expect(
      usageFromChat({ prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4 }, null),
    ).toMatchObject({ input: 6, cacheRead: 4 })
    expect(usageFromChat({ prompt_tokens: 10, completion_tokens: 1, cached_tokens: 4 }, null)).toMatchObject({
      input: 6,
      cacheRead: 4,
    })
  })

  it('if there are more cached tokens than prompt tokens, both counts are billed', () => {
    expect(
      usageFromChat(
        { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 40 } },
        null,
      ),
    ).toMatchObject({ input: 10, cacheRead: 40 })
  })

  it.each([[1e15], [-1], [0.5], ['12'], [Number.NaN]])('a usage with %s counts as missing', (count) => {
    expect(usageFromChat({ prompt_tokens: count, completion_tokens: 1 }, null)).toBeNull()
    expect(usageFromChat({ prompt_tokens: 1, completion_tokens: count }, null)).toBeNull()
  })

  it('an explicit zero is accepted as a count', () => {
    expect(usageFromChat({ prompt_tokens: 0, completion_tokens: 0 }, null)).toMatchObject({
      input: 0,
      output: 0,
    })
  })
})

/** Members that name the provider, with every kind of value. */
const ownMembers: readonly (readonly [string, unknown])[] = [
  ['system_fingerprint', 'fp_1'],
  ['provider', 'Fireworks'],
  ['base_url', null],
  ['x_groq', { id: 'req_1', usage: { a: [1, { b: '}' }] } }],
]

describe('the fields that name the provider', () => {
  const kept = {
    id: 'c1',
    model: 'gpt-x',
    choices: [{ index: 0, delta: { content: 'provider "x_groq": 1' }, finish_reason: null }],
    usage: null,
    service_tier: 'default',
  }
  const orders = fc.shuffledSubarray([...Object.entries(kept), ...ownMembers], {
    minLength: Object.keys(kept).length + ownMembers.length,
  })

  it('fields that name the provider are removed from every chunk, and all other fields are unchanged', () => {
    fc.assert(
      fc.property(orders, fc.boolean(), fc.constantFrom(0, 1), (members, wantsUsage, indent) => {
        const data = JSON.stringify(Object.fromEntries(members), null, indent).replaceAll('\n', ' ')
        const sent = `data: ${data}\n\n`.repeat(3)
        const { body } = run(sent, { wantsUsage })
        const frames = body.split('\n\n').filter((one) => one !== '')
        const { usage, ...others } = kept
        const shown = { ...others, model: 'acme/fast' }
        expect(frames).toHaveLength(3)
        for (const one of frames) {
          const read = JSON.parse(one.slice('data: '.length))
          // If the client did not request usage, `"usage": null` may remain where a neighboring field was removed.
          expect([{ ...shown, usage }, ...(wantsUsage ? [] : [shown])]).toContainEqual(read)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('once the shape of the chunks is known, fields that name the provider are removed without parsing', () => {
    const data = chunk({ content: 'a' }, null, Object.fromEntries(ownMembers))
    const stream = new PassThroughStream(new ChatFrameReader('acme/fast', false))
    const first = stream.push(data)
    const again = chunk({ content: 'b' }, null, Object.fromEntries(ownMembers))
    expect(stream.push(again)).toBe(first.replace('"a"', '"b"'))
    expect(first).not.toMatch(/fp_1|Fireworks|groq|base_url/)
  })

  it('a non-streaming response contains no fields that name the provider', () => {
    const { choices: _, ...others } = kept
    const message = [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }]
    fc.assert(
      fc.property(orders, (members) => {
        const body = JSON.stringify({ ...Object.fromEntries(members), choices: message })
        const answered = readChatResponse(byteTextOf(body), 'acme/fast')
        expect(JSON.parse(answered?.body ?? '')).toEqual({ ...others, choices: message, model: 'acme/fast' })
      }),
    )
  })
})

describe('an error in a choice', () => {
  const failed = { index: 0, finish_reason: 'error', error: { code: 502, message: 'secret' } }

  it('an error in a choice fails the stream', () => {
    const { body, stream } = run(
      chunk({ content: 'a' }) + frame({ id: 'c1', choices: [{ ...failed, delta: { content: '' } }] }),
    )
    expect(stream).toMatchObject({ state: 'failed', failure: { status: 502, message: 'secret' } })
    expect(body).not.toContain('secret')
  })

  it('a choice with an error is not an answer, even if the choice also contains text', () => {
    const message = { role: 'assistant', content: 'a' }
    for (const body of [
      { choices: [{ ...failed, message }] },
      { error: { code: 400 }, choices: [{ index: 0, message, finish_reason: 'stop' }] },
    ])
      expect(readChatResponse(byteTextOf(JSON.stringify(body)), 'a')).toBeNull()
    const fine = { error: null, choices: [{ index: 0, message, error: null }] }
    expect(readChatResponse(byteTextOf(JSON.stringify(fine)), 'a')).not.toBeNull()
  })
})

describe('readChatResponse', () => {
  it('only the model name in the response changes', () => {
    const body =
      '{"id":"x", "model" : "gpt-x","choices":[{"message":{"content":"abcdef","model":"gpt-x"}}],"usage":{"prompt_tokens":1,"completion_tokens":2},"big":12345678901234567890}'
    const response = readChatResponse(byteTextOf(body), 'alias')
    expect(textOf(response?.body ?? '')).toBe(body.replace('"model" : "gpt-x"', '"model" : "alias"'))
    expect(response).toMatchObject({ usage: { input: 1, output: 2 }, hasReportedUsage: true })
  })

  it('the gateway counts the output if the response reports no usage', () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(300) } }] })
    expect(readChatResponse(byteTextOf(body), 'a')).toMatchObject({ usage: null, outputTokens: 100 })
  })

  it.each(['<html></html>', '{"choices":[', '{"error":{"message":"x"}}', '[]', ''])(
    '%s is not accepted as a chat response',
    (body) => {
      expect(readChatResponse(byteTextOf(body), 'a')).toBeNull()
    },
  )
})
