import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { MessagesFrameReader } from './frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'

interface Run {
  readonly body: string
  readonly tail: string
  readonly stream: PassThroughStream
}

function run(text: string, { alias = 'acme/fast', cuts = [] as readonly number[] } = {}): Run {
  const bytes = byteTextOf(text)
  const stream = new PassThroughStream(new MessagesFrameReader(alias))
  let body = ''
  let from = 0
  for (const cut of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    body += stream.push(bytes.slice(from, cut))
    from = cut
  }
  body += stream.end()
  return { body: textOf(body), tail: textOf(stream.tail()), stream }
}

const frame = (type: string, fields: object = {}, pad = ''): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields }).slice(0, -1)}${pad}}\n\n`
const messageStart = (usage: object = { input_tokens: 9, output_tokens: 1 }): string =>
  frame('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  })
const blockStart = (index: number, block: object): string =>
  frame('content_block_start', { index, content_block: block })
const textBlock = blockStart(0, { type: 'text', text: '' })
const delta = (index: number, fields: object, pad = ''): string =>
  frame('content_block_delta', { index, delta: fields }, pad)
const textDelta = (text: string, pad = ''): string => delta(0, { type: 'text_delta', text }, pad)
const blockStop = (index: number): string => frame('content_block_stop', { index })
const messageDelta = (stop: string | null, usage: object | null = { output_tokens: 3 }): string =>
  frame('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, ...(usage && { usage }) })
const messageStop = frame('message_stop')
const ping = frame('ping')

const shown = [
  messageStart(),
  textBlock,
  ping,
  textDelta('Grüße '),
  textDelta('"model":"claude-x" 世界', '      '),
  textDelta('\\ "\n', ' '),
  blockStop(0),
].join('')
const whole = `${shown}${messageDelta('end_turn')}${messageStop}`
const renamed = (text: string): string =>
  text.replaceAll('"model":"claude-x","content"', '"model":"acme/fast","content"')

const spent = {
  status: 402,
  code: 'spend_limit_exceeded',
  message: 'spend_limit_exceeded: 5 micros are spent',
  param: null,
  reason: 'reservation exhausted mid-stream',
  details: { limitSource: 'reservation', limit: '5' },
}

describe('a messages stream', () => {
  it('a messages stream is forwarded unchanged except for the model name, and its end is withheld until the request is settled', () => {
    const { body, tail, stream } = run(whole)
    expect(body).toBe(renamed(shown))
    expect(tail).toBe(messageDelta('end_turn') + messageStop)
    expect(stream).toMatchObject({ state: 'done', textChunks: 3, usage: { input: 9, output: 3 } })
  })

  it('the result does not depend on the boundaries of network chunks', () => {
    const length = byteTextOf(whole).length
    const once = run(whole)
    fc.assert(
      fc.property(fc.array(fc.nat(length), { maxLength: 40 }), (cuts) => {
        const cut = run(whole, { cuts })
        expect([cut.body, cut.tail, cut.stream.usage, cut.stream.outputTokens]).toEqual([
          once.body,
          once.tail,
          once.stream.usage,
          once.stream.outputTokens,
        ])
      }),
      sampledRuns(2000),
    )
  })

  it('nothing is sent before the first piece of an answer', () => {
    const stream = new PassThroughStream(new MessagesFrameReader('a'))
    expect(stream.push(messageStart() + textBlock + ping + textDelta(''))).toBe('')
    expect(stream.push(textDelta('x'))).toContain('message_start')
  })

  it('a stream fails without output if its first frame is an error', () => {
    const error = frame('error', { error: { type: 'overloaded_error', message: 'secret' } })
    expect(run(error)).toMatchObject({
      body: '',
      stream: { state: 'failed', failure: { type: 'overloaded_error' } },
    })
    expect(run(messageStart() + ping + error).body).toBe('')
  })

  it('the text of a provider’s error is not shown to the client, whether the error has the format of this wire or of another server', () => {
    for (const error of [
      frame('error', { error: { type: 'api_error', message: 'secret' } }),
      'data: {"error":{"type":"api_error","message":"secret"}}\n\n',
    ]) {
      const { stream, body } = run(messageStart() + textBlock + textDelta('a') + error)
      expect(stream).toMatchObject({ state: 'failed', failure: { type: 'api_error' } })
      expect(body).not.toContain('secret')
    }
  })

  it('`error: null` is not an error', () => {
    expect(run(`data: {"error":null}\n\n${whole}`).stream.state).toBe('done')
  })

  it('unknown events, fields and deltas are forwarded (docs/reference/wires.md "Unknown events")', () => {
    const unknown = frame('thing_that_grows', { a: 1e21, b: [{ c: null }] })
    const odd = delta(0, { type: 'new_delta', words: 'abcdef' })
    const { body, stream } = run(messageStart() + textBlock + textDelta('x') + unknown + odd)
    expect(body).toContain(unknown + odd)
    // In unknown content, every byte of a value counts: 1 byte of the text, 5 bytes of the number, 6 bytes of the
    // words.
    expect(stream.outputTokens).toBe((1 + 5 + 6) / 3)
  })

  it('a refusal without blocks is forwarded only after the request is settled', () => {
    const text = messageStart() + ping + messageDelta('refusal') + messageStop
    expect(run(text)).toMatchObject({ body: '', tail: renamed(text), stream: { state: 'done' } })
  })

  it('the client sees the alias instead of the provider’s model name, in every frame', () => {
    const end = frame('message_delta', {
      delta: {
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', recommended_model: 'claude-x' },
      },
      usage: { output_tokens: 1, iterations: [{ type: 'message', model: 'claude-x', output_tokens: 1 }] },
    })
    const { body, tail } = run(messageStart() + textBlock + textDelta('x') + end + messageStop)
    expect(body + tail).not.toContain('claude-x')
    expect((body + tail).match(/acme\/fast/g)).toHaveLength(3)
    const other = end.replace('"recommended_model":"claude-x"', '"recommended_model":"claude-y"')
    expect(run(messageStart() + other).tail).toContain('claude-y')
  })

  it('a `message_start` that a proxy repeats is forwarded only once', () => {
    const { body, tail, stream } = run(messageStart() + whole)
    expect(body + tail).toBe(renamed(whole))
    expect(stream).toMatchObject({ state: 'done', usage: { input: 9, output: 3 } })
  })

  it.each([
    ['an empty block', textBlock],
    ['a text', textBlock + textDelta('a')],
    ['a text that is whole', textBlock + textDelta('a') + blockStop(0)],
  ])(
    'a stream fails at a `message_start` after %s, so that no client runs an incomplete tool call',
    (_, begun) => {
      const { body, tail, stream } = run(messageStart() + begun + whole)
      expect(stream).toMatchObject({ state: 'broken', usage: null })
      expect(body + tail).toBe(renamed(messageStart() + begun))
    },
  )

  it('a stream that closes after its stop reason is complete, and a stream that closes earlier is interrupted', () => {
    expect(run(shown + messageDelta('end_turn'))).toMatchObject({
      tail: messageDelta('end_turn') + messageStop,
      stream: { state: 'done' },
    })
    expect(run(shown)).toMatchObject({ tail: '', stream: { state: 'open', usage: null } })
    expect(run(shown + messageDelta(null)).stream.state).toBe('open')
  })

  it('for an interrupted answer, the reported input count is used and the early output count is ignored', () => {
    const { stream } = run(
      messageStart({ input_tokens: 4, cache_read_input_tokens: 90_000, output_tokens: 1 }) + textBlock,
    )
    expect(stream).toMatchObject({ usage: null, hasReportedUsage: false })
    expect(stream.inputUsage).toMatchObject({ input: 4, cacheRead: 90_000 })
  })

  it('thinking, tool arguments, tool names and hidden thoughts count as output, like text', () => {
    const parts: [string, number][] = [
      [textDelta('abcdef'), 2],
      [delta(0, { type: 'thinking_delta', thinking: 'abcdef' }), 2],
      [delta(0, { type: 'input_json_delta', partial_json: 'abcdef' }), 2],
      [delta(0, { type: 'text_delta', text: 'text_delta' }), 4],
      [blockStart(0, { type: 'tool_use', id: 'toolu_1', name: 'abcdef', input: {} }), 2],
      [blockStart(0, { type: 'redacted_thinking', data: 'abcdef' }), 2],
      [delta(0, { type: 'signature_delta', signature: 'abcdef' }), 2],
      [delta(0, { type: 'citations_delta', citation: { cited_text: 'abcdef' } }), 0],
    ]
    for (const [text, tokens] of parts) expect(run(text).stream.outputTokens, text).toBe(tokens)
    const block = blockStart(0, { type: 'thinking', thinking: '', signature: '' })
    const signature = delta(0, { type: 'signature_delta', signature: 'x'.repeat(900) })
    const thought = delta(0, { type: 'thinking_delta', thinking: 'abcdef' })
    expect(run(block + signature).stream.outputTokens).toBe(300)
    expect(run(block + thought + thought + signature).stream.outputTokens).toBe(4)
  })

  it('deltas that are recognized without parsing give the same result as parsed deltas', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 })
    const one = fc.oneof(
      word.map((text) => ({ type: 'text_delta', text })),
      word.map((thinking) => ({ type: 'thinking_delta', thinking })),
      word.map((partial) => ({ type: 'input_json_delta', partial_json: partial })),
      fc.constant({ type: 'text_delta', text: '"}}' }),
      word.map((text) => ({ type: 'text_delta', text, more: text })),
    )
    const sent = fc.array(fc.tuple(one, fc.nat(2), fc.constantFrom('', ' ', '        ')), { maxLength: 20 })
    fc.assert(
      fc.property(sent, (deltas) => {
        const texts = deltas.map(([fields, index, pad]) => delta(index, fields, pad))
        const together = run(texts.join(''))
        expect(together.body + together.tail).toBe(texts.join(''))
        // Each delta goes to a new stream, so every delta is parsed.
        const chunks = texts.reduce((sum, text) => sum + run(text).stream.textChunks, 0)
        expect(together.stream.textChunks).toBe(chunks)
      }),
      sampledRuns(2000),
    )
  })

  it.each([
    ['cut JSON', 'data: {"type":"content_block_delta","delta":{"text":"a"\n\n'],
    ['text', 'data: hello\n\n'],
    ['a string without end', 'data: {"a":"b\n\n'],
    ['more after the end', 'data: {"a":1}}\n\n'],
  ])('a messages stream stops at a frame that is %s', (_, broken) => {
    const { stream, body } = run(messageStart() + textDelta('a') + broken + textDelta('b'))
    expect(stream.state).toBe('broken')
    expect(body).not.toContain('"b"')
  })

  it('data is read in every form that an event stream allows', () => {
    const text = `: hi\r\n\r\n${whole.replaceAll('\n', '\r\n').replaceAll('data: ', 'data:')}`
    const { body, tail, stream } = run(text)
    expect(body + tail).toBe(renamed(text))
    expect(stream).toMatchObject({ state: 'done', textChunks: 3 })
    const lines =
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,\ndata: "delta":{"type":"text_delta","text":"a"}}\n\n'
    expect(run(lines).body).toMatch(/^event: content_block_delta\ndata: \{.*\}\n\n$/)
  })

  it('frames of megabytes are forwarded, and frames that never end are rejected', () => {
    const large = delta(0, { type: 'signature_delta', signature: 'x'.repeat(2_000_000) })
    expect(run(large).body).toBe(large)
    const stream = new PassThroughStream(new MessagesFrameReader('a'))
    for (let i = 0; i < 17; i++) stream.push('x'.repeat(1_000_000))
    expect(stream.state).toBe('broken')
  })

  it('frames before the answer are not kept in memory without limit', () => {
    const stream = new PassThroughStream(new MessagesFrameReader('a'))
    for (let i = 0; i < 17; i++) stream.push(frame('ping', { id: 'x'.repeat(1_000_000) }))
    expect(stream.state).toBe('broken')
  })

  it('an interrupted text is closed, and the usage and an error follow, so that the text never looks complete', () => {
    const { stream } = run(messageStart() + textBlock + textDelta('a'))
    const tail = textOf(stream.spendTail({ ...zeroUsage, input: 9, output: 1, cacheRead: 4 }, spent, 'req_1'))
    const frames = tail.trim().split('\n\n')
    expect(frames.map((text) => text.split('\n')[0])).toEqual([
      'event: content_block_stop',
      'event: message_delta',
      'event: error',
    ])
    const [, end, error] = frames.map((text): unknown => JSON.parse(text.split('data: ')[1] ?? ''))
    expect(end).toMatchObject({
      delta: { stop_reason: null },
      usage: { input_tokens: 9, cache_read_input_tokens: 4, output_tokens: 1 },
    })
    expect(error).toEqual({
      type: 'error',
      error: {
        type: 'billing_error',
        message: spent.message,
        code: 'spend_limit_exceeded',
        reason: 'reservation exhausted mid-stream',
        details: {
          error_code: 'spend_limit_exceeded',
          reason: 'reservation exhausted mid-stream',
          limitSource: 'reservation',
          limit: '5',
        },
      },
      request_id: 'req_1',
    })
  })

  it('a tool call that the spend limit interrupts remains open', () => {
    const call = blockStart(1, { type: 'tool_use', id: 't', name: 'rm', input: {} })
    const half = delta(1, { type: 'input_json_delta', partial_json: '{"path":"/' })
    const { stream } = run(messageStart() + call + half)
    const tail = stream.spendTail(zeroUsage, spent, 'req_1')
    expect(tail).not.toContain('content_block_stop')
    expect(tail).toContain('event: error')
  })

  it('if nothing has been sent before the interruption, the first frames are also written', () => {
    const stream = new PassThroughStream(new MessagesFrameReader('a'))
    stream.push(messageStart())
    expect(textOf(stream.spendTail(zeroUsage, spent, 'req_1'))).toMatch(/^event: message_start\n/)
  })

  it('mutated frames never cause an exception or slow reading', () => {
    const bytes = byteTextOf(whole)
    const passOn = (mutated: string): void => {
      const stream = new PassThroughStream(new MessagesFrameReader('a'))
      stream.push(mutated)
      stream.end()
      stream.tail()
      expect(stream.outputTokens).toBeGreaterThanOrEqual(0)
    }
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (edits) => {
          let mutated = bytes
          for (const [at, byte] of edits)
            mutated = mutated.slice(0, at) + String.fromCharCode(byte) + mutated.slice(at + 1)
          withinCpu(50, () => passOn(mutated))
        },
      ),
      sampledRuns(7000),
    )
  })
})
