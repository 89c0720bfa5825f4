import type { JsonObject } from '#wire/text/json-values.ts'
import { signatureOfTag, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import type { FinishReason, NeutralEvent } from '#convert/neutral-format.ts'
import { decodeMessagesAnswer, messagesDecoder } from './answer-decoder.ts'
import { encodeMessagesAnswer, messagesEncoder } from './answer-encoder.ts'
import {
  decoding,
  encoding,
  plainRequest,
  someUsage,
} from '#tests/fixtures/requests-for-messages-wire-tests.ts'

interface Encoded {
  readonly body: string
  readonly frames: readonly JsonObject[]
}

function encode(events: readonly NeutralEvent[], options: EncoderOptions = encoding): Encoded {
  const encoder = messagesEncoder(options)
  const body = events.map((event) => encoder.write(event)).join('')
  return { body: textOf(body), frames: framesOf(body + encoder.tail(someUsage)) }
}

/** Checks that the type in the data of each frame equals the event name. */
function framesOf(bytes: string): JsonObject[] {
  const events = textOf(bytes).split('\n\n')
  expect(events.pop()).toBe('')
  return events.map((event) => {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? []
    const frame: JsonObject = JSON.parse(data ?? '')
    expect(frame.type).toBe(name)
    return frame
  })
}

const text = (value: string): NeutralEvent => ({ kind: 'text', choice: 0, text: value })
const thought = (value: string): NeutralEvent => ({ kind: 'reasoning', choice: 0, text: value })
const seal = (more: Partial<Signature> = {}): NeutralEvent => ({
  kind: 'signature',
  choice: 0,
  signature: { wire: 'messages', origin: 'here', kind: 'signature', data: 'sig', id: null, ...more },
})
const call = (slot: number): NeutralEvent => ({
  kind: 'tool_call',
  choice: 0,
  slot,
  id: `call_${slot}`,
  name: `n${slot}`,
  isCustom: false,
})
const args = (slot: number, value: string): NeutralEvent => ({
  kind: 'arguments',
  choice: 0,
  slot,
  text: value,
})
const callEnd = (slot: number): NeutralEvent => ({ kind: 'tool_call_end', choice: 0, slot })
const finish = (reason: FinishReason = 'end', stopSequence: string | null = null): NeutralEvent => ({
  kind: 'finish',
  choice: 0,
  reason,
  stopSequence,
})
const start: NeutralEvent = { kind: 'start', id: 'x' }
const usage: NeutralEvent = { kind: 'usage', usage: someUsage }
const spent = {
  status: 402,
  code: 'spend_limit_exceeded',
  message: 'spend_limit_exceeded: no more',
  param: null,
  reason: 'reservation exhausted mid-stream',
  details: {},
}
const foreign = { wire: 'generate', kind: 'thought_signature', origin: 'o', data: 'zz' } as const

/** Assembles the blocks as the official client does. */
function blocksOf(frames: readonly JsonObject[]): unknown[] {
  const blocks: Record<string, unknown>[] = []
  let open = -1
  for (const frame of frames) {
    if (frame.type === 'content_block_start') {
      expect([open, frame.index]).toEqual([-1, blocks.length])
      open = blocks.length
      blocks.push({ ...(frame.content_block as JsonObject), text: '' })
    }
    if (frame.type === 'content_block_delta') {
      expect(frame.index).toBe(open)
      const { type, ...fields } = frame.delta as Record<string, string>
      const block = blocks[open] ?? {}
      if (type === 'signature_delta') block.signature = fields.signature
      else block.text = String(block.text) + Object.values(fields).join('')
    }
    if (frame.type === 'content_block_stop') {
      expect(frame.index).toBe(open)
      open = -1
    }
  }
  return blocks
}

describe('messagesEncoder', () => {
  it('the frames of an answer are written in the order that clients require', () => {
    const { frames } = encode([start, text('Hé'), text('"\n'), usage, finish('stop_sequence', 'X')])
    expect(frames).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_abc',
          type: 'message',
          role: 'assistant',
          model: 'acme/fast',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: expect.objectContaining({ input_tokens: 42, output_tokens: 0 }),
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hé' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '"\n' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'stop_sequence', stop_sequence: 'X' },
        usage: expect.objectContaining({
          input_tokens: 9,
          cache_read_input_tokens: 4,
          output_tokens: 7,
          output_tokens_details: { thinking_tokens: 2 },
        }),
      },
      { type: 'message_stop' },
    ])
  })

  it('nothing is sent before the first piece of an answer, and the first frame has the actual input count if it is known', () => {
    const encoder = messagesEncoder(encoding)
    expect(encoder.write(start) + encoder.write(usage) + encoder.write(text(''))).toBe('')
    const [first] = framesOf(encoder.write(text('a')))
    expect(first).toMatchObject({ message: { usage: { input_tokens: 9, cache_read_input_tokens: 4 } } })
  })

  it('the end of a messages answer is not written until `tail` is called', () => {
    const { body } = encode([start, text('a'), usage, finish()])
    expect(body).not.toContain('message_delta')
    expect(body).not.toContain('message_stop')
  })

  it('an answer without content is not written until `tail` is called', () => {
    const { body, frames } = encode([start, usage, finish('filtered')])
    expect(body).toBe('')
    expect(frames.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop'])
    expect(frames[1]).toMatchObject({ delta: { stop_reason: 'refusal', stop_details: { type: 'refusal' } } })
  })

  it('parallel tool calls are written one after the other', () => {
    const { frames } = encode([
      text('x'),
      call(0),
      args(0, '{"a'),
      call(1),
      args(1, '{"b":2}'),
      args(0, '":1}'),
      callEnd(1),
      text('y'),
      callEnd(0),
      finish('tool_calls'),
    ])
    expect(blocksOf(frames)).toEqual([
      { type: 'text', text: 'x' },
      { type: 'tool_use', id: 'call_0', name: 'n0', input: {}, text: '{"a":1}' },
      { type: 'tool_use', id: 'call_1', name: 'n1', input: {}, text: '{"b":2}' },
      { type: 'text', text: 'y' },
    ])
  })

  it('the first of several tool calls is written while it arrives', () => {
    const encoder = messagesEncoder(encoding)
    encoder.write(call(0))
    encoder.write(call(1))
    expect(encoder.write(args(0, '{}'))).toContain('partial_json')
    expect(encoder.write(args(1, '{}'))).toBe('')
    expect(encoder.write(callEnd(0))).toContain('n1')
  })

  it('an interrupted tool call gets no `content_block_stop`, as in streams of Anthropic', () => {
    const { frames } = encode([call(0), args(0, '{"a'), finish('max_output')])
    expect(frames.map(({ type }) => type)).not.toContain('content_block_stop')
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } })
  })

  it('the stop reason is `tool_use` if the answer contains tool calls, even if the server reports another stop reason', () => {
    const { frames } = encode([call(0), args(0, '{}'), callEnd(0), finish('end')])
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  })

  it('thoughts have their signature, and thoughts of other wires have a tagged signature that clients send back', () => {
    const { frames } = encode([
      thought('a'),
      seal(),
      thought('b'),
      seal(foreign),
      seal({ kind: 'redacted', data: 'red' }),
      seal(foreign),
      seal({ data: 'omitted' }),
      text('x'),
      finish(),
    ])
    const blocks = blocksOf(frames)
    const tag: unknown = expect.toSatisfy((value: string) => signatureOfTag(value)?.data === 'zz')
    expect(blocks).toEqual([
      { type: 'thinking', thinking: '', signature: 'sig', text: 'a' },
      { type: 'thinking', thinking: '', signature: tag, text: 'b' },
      { type: 'redacted_thinking', data: 'red', text: '' },
      { type: 'redacted_thinking', data: tag, text: '' },
      { type: 'thinking', thinking: '', signature: 'omitted', text: '' },
      { type: 'text', text: 'x' },
    ])
  })

  it('clients get thoughts only if they requested them, but all clients get the signature', () => {
    for (const reasoning of [
      null,
      { effort: 'none', budgetTokens: null, isShown: null } as const,
      { effort: 'high', budgetTokens: null, isShown: false } as const,
    ]) {
      const { frames } = encode([thought('a'), seal(foreign), text('x'), finish()], {
        ...encoding,
        request: { ...plainRequest, reasoning },
      })
      expect(blocksOf(frames)).toMatchObject([{ type: 'redacted_thinking' }, { type: 'text', text: 'x' }])
    }
  })

  it('only the first of several choices is written', () => {
    const { frames } = encode([text('a'), { kind: 'text', choice: 1, text: 'b' }, finish()])
    expect(blocksOf(frames)).toEqual([{ type: 'text', text: 'a' }])
  })

  it('a character whose halves arrive in two pieces is joined', () => {
    const { frames } = encode([text('\ud83d'), text('\ude00'), finish()])
    expect(blocksOf(frames)).toEqual([{ type: 'text', text: '😀' }])
  })

  it('if the spend limit ends the stream, the text is closed, tool calls remain open, and the usage and an error follow', () => {
    for (const [event, types] of [
      [text('a'), ['content_block_stop', 'message_delta', 'error']],
      [thought('a'), ['content_block_stop', 'message_delta', 'error']],
      [call(0), ['message_delta', 'error']],
    ] as const) {
      const encoder = messagesEncoder(encoding)
      encoder.write(event)
      const frames = framesOf(encoder.spendTail(someUsage, spent, 'req_1'))
      expect(frames.map(({ type }) => type)).toEqual(types)
      expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: null }, usage: { output_tokens: 7 } })
      expect(frames.at(-1)).toMatchObject({
        error: {
          type: 'billing_error',
          details: { error_code: 'spend_limit_exceeded', reason: 'reservation exhausted mid-stream' },
        },
        request_id: 'req_1',
      })
    }
    const unbegun = framesOf(messagesEncoder(encoding).spendTail(someUsage, spent, 'req_1'))
    expect(unbegun.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'error'])
  })

  it('a failed answer ends with only an error', () => {
    const encoder = messagesEncoder(encoding)
    encoder.write(text('a'))
    const error = { status: 502, code: 'upstream_truncated', message: 'm', param: null, details: {} }
    expect(framesOf(encoder.errorTail(error, 'req_1'))).toMatchObject([
      { type: 'error', error: { type: 'api_error', details: { error_code: 'upstream_truncated' } } },
    ])
  })
})

describe('a decoded and an encoded answer', () => {
  /** Generates the events of complete answers, as the decoder of any wire may return them. */
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
  const group = fc.oneof(
    word.map((value) => [text(value)]),
    fc
      .tuple(word, fc.constantFrom(seal(), seal({ data: 'other' })))
      .map(([value, sealed]) => [thought(value), sealed]),
    fc.constantFrom([seal({ kind: 'redacted', data: 'red' })], [seal({ data: 'omitted' })]),
    word.map((value) => ({ a: value })),
  )
  const reasons = fc.constantFrom<FinishReason>(
    'end',
    'max_output',
    'stop_sequence',
    'refusal',
    'pause',
    'context_full',
    'tool_calls',
  )
  const answers = fc
    .tuple(fc.array(group, { maxLength: 6 }), reasons)
    .map(([groups, asked]): NeutralEvent[] => {
      let slots = 0
      const events = groups.flatMap((one): NeutralEvent[] => {
        if (Array.isArray(one)) return one
        const slot = slots++
        return [call(slot), args(slot, JSON.stringify(one)), callEnd(slot)]
      })
      const reason = slots > 0 && asked === 'end' ? 'tool_calls' : asked
      const stopSequence = reason === 'stop_sequence' ? 'X' : null
      return [{ kind: 'start', id: 'msg_abc' }, ...events, usage, finish(reason, stopSequence)]
    })

  const joined = (events: readonly NeutralEvent[]): NeutralEvent[] => {
    const out: NeutralEvent[] = []
    for (const event of events) {
      const last = out.at(-1)
      if (event.kind === 'text' && last?.kind === 'text') out[out.length - 1] = text(last.text + event.text)
      else out.push(event)
    }
    return out
  }

  it('an answer that is written to a stream and read again has the same events', () => {
    fc.assert(
      fc.property(answers, (events) => {
        const decoder = messagesDecoder(decoding)
        const again = encode(events).frames.flatMap((frame) => decoder.push(frame))
        expect(joined(again)).toEqual(joined(events))
        expect(decoder.isOver).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('an answer that is written without streaming and read again has the same events', () => {
    fc.assert(
      fc.property(answers, (events) => {
        const body: JsonObject = JSON.parse(JSON.stringify(encodeMessagesAnswer(events, encoding)))
        expect(joined(decodeMessagesAnswer(body, decoding) ?? [])).toEqual(joined(events))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('encodeMessagesAnswer', () => {
  it('a non-streaming response is a message with the client’s model name', () => {
    expect(encodeMessagesAnswer([start, text('a'), text('b'), usage, finish()], encoding)).toMatchObject({
      id: 'msg_abc',
      type: 'message',
      role: 'assistant',
      model: 'acme/fast',
      content: [{ type: 'text', text: 'ab' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 7 },
    })
  })

  it('numbers in tool arguments are kept exactly as written, and invalid JSON is kept as a string', () => {
    const body = encodeMessagesAnswer(
      [
        call(0),
        args(0, '{"a":9007199254740993,"b":1.0}'),
        callEnd(0),
        call(1),
        args(1, '{"a'),
        call(2),
        callEnd(2),
        finish('max_output'),
      ],
      encoding,
    )
    const printed = JSON.stringify(body.content)
    expect(printed).toContain('"input":{"a":9007199254740993,"b":1.0}')
    expect(printed).toContain('"input":"{\\"a"')
    expect(printed).toContain('"name":"n2","input":{}')
    expect(byteTextOf(printed)).toBe(printed)
  })
})
