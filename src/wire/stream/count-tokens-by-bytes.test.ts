import { describe, expect, it } from 'vitest'
import type { AnswerStream } from './answer-stream-interface.ts'
import { ChatFrameReader } from '#wire/chat/frame-reader.ts'
import { CohereFrameReader } from '#wire/cohere/frame-reader.ts'
import { ConverseFrameReader } from '#wire/converse/frame-reader.ts'
import { PassThroughStream } from './pass-through-stream.ts'
import { GenerateFrameReader } from '#wire/generate/frame-reader.ts'
import { MessagesFrameReader } from '#wire/messages/frame-reader.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { ResponsesFrameReader } from '#wire/responses/frame-reader.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { thirdsOfUnknown, thirdsOutsideData } from './count-tokens-by-bytes.ts'

const open: Readonly<Record<WireName, () => AnswerStream>> = {
  chat: () => new PassThroughStream(new ChatFrameReader('m', true)),
  messages: () => new PassThroughStream(new MessagesFrameReader('m')),
  generate: () =>
    new PassThroughStream(new GenerateFrameReader({ model: 'm', isJsonArray: false, choices: 1 })),
  responses: () => new PassThroughStream(new ResponsesFrameReader('m')),
  converse: () => new PassThroughStream(new ConverseFrameReader('m')),
  cohere: () => new PassThroughStream(new CohereFrameReader()),
}
const wires: readonly WireName[] = ['chat', 'messages', 'generate', 'responses', 'converse', 'cohere']

function after(wire: WireName, text: string): { stream: AnswerStream; out: string } {
  const stream = open[wire]()
  return { out: stream.push(text), stream }
}

const data = (frame: unknown): string => `data: ${JSON.stringify(frame)}\n\n`

/** Each frame has another shape, and contains `abcdef`, which counts as two tokens. */
const saying: readonly (readonly [name: string, frame: string])[] = [
  ['a server without choices', data({ id: 'c', model: 'm', text: 'abcdef' })],
  [
    'Ollama',
    data({ model: 'm', created_at: 'now', message: { role: 'assistant', content: 'abcdef' }, done: false }),
  ],
  [
    'legacy completions',
    data({
      id: 'c',
      object: 'text_completion',
      choices: [{ index: 0, text: 'abcdef', finish_reason: null }],
    }),
  ],
  ['TGI', data({ index: 1, token: { text: 'abcdef', special: false, logprob: -1 } })],
  ['nested deeper', data({ output: { parts: [{ value: 'abcdef' }] } })],
  ['a list', data([[{ value: 'abcdef' }]])],
  ['numbers', data({ tokens: [123, 456] })],
  ['a line that is no field of an event', 'abcdef\n\n'],
]

/** Content that no model wrote, on any wire. */
const silent: readonly (readonly [name: string, frame: string])[] = [
  ['a comment', ': PROCESSING\n\n'],
  ['a name without data', 'event: ping\nid: 7\nretry: 10\n\n'],
  ['a ping', data({ type: 'ping' })],
  ['a keepalive', data({ type: 'keepalive', sequence_number: 3 })],
  [
    'a role',
    data({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      system_fingerprint: 'fp',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
    }),
  ],
  [
    'filters',
    data({
      id: '',
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: { severity: 'safe' } } }],
    }),
  ],
  [
    'a usage of chat',
    data({ id: 'c', choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }),
  ],
  [
    'a usage of generate',
    data({ usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 }, modelVersion: 'm', responseId: 'r' }),
  ],
  [
    'ratings',
    data({ candidates: [{ index: 0, safetyRatings: [{ category: 'HARM', probability: 'LOW' }] }] }),
  ],
]

describe.each(wires)('frames of unknown shape on %s', (wire) => {
  // A list breaks the stream, except on the wires `messages` and `responses`, which count the bytes of the list.
  const isStrict = wire !== 'messages' && wire !== 'responses'
  const known = isStrict ? saying.filter(([name]) => name !== 'a list') : saying

  it.each(known)('a frame of unknown shape is counted by its bytes: %s', (_, frame) => {
    const { stream, out } = after(wire, frame)
    expect(stream.state).toBe('open')
    expect(out).toBe(frame)
    expect(stream).toMatchObject({ outputTokens: 2, textChunks: 1, hasDelivered: true })
    expect(after(wire, frame.repeat(600)).stream.outputTokensSure).toBeGreaterThanOrEqual(600)
  })

  it.each(silent)('a frame of unknown shape without content counts as no output: %s', (_, frame) => {
    expect(after(wire, frame).stream).toMatchObject({ outputTokens: 0, textChunks: 0, hasDelivered: false })
  })
})

const extra = 'x'.repeat(300)
/** Typical frames with the answer `abcdef`. `more` is before, after or around the answer. */
const beside: Readonly<Record<WireName, readonly ((more: object) => object)[]>> = {
  chat: [
    (more) => ({ id: 'c', choices: [{ index: 0, delta: { content: 'abcdef' } }], ...more }),
    (more) => ({ id: 'c', choices: [{ index: 0, delta: { content: 'abcdef', ...more } }] }),
    (more) => ({ ...more, id: 'c', choices: [{ index: 0, delta: { reasoning: 'abcdef' } }] }),
  ],
  messages: [
    (more) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'abcdef' },
      ...more,
    }),
    (more) => ({
      ...more,
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'abcdef' },
    }),
    (more) => ({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: 'abcdef', ...more },
    }),
  ],
  generate: [
    (more) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'abcdef' }] } }],
      ...more,
    }),
    (more) => ({ candidates: [{ index: 0, content: { parts: [{ text: 'abcdef', ...more }] } }] }),
    (more) => ({ ...more, candidates: [{ index: 0, content: { parts: [{ text: 'abcdef' }] } }] }),
  ],
  responses: [
    (more) => ({ type: 'response.output_text.delta', output_index: 0, delta: 'abcdef', ...more }),
    (more) => ({ ...more, type: 'response.output_text.delta', output_index: 0, delta: 'abcdef' }),
  ],
  converse: [
    (more) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'abcdef' } }, ...more }),
    (more) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'abcdef' }, ...more } }),
    (more) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'abcdef', ...more } } }),
  ],
  cohere: [
    (more) => ({
      type: 'content-delta',
      index: 0,
      delta: { message: { content: { text: 'abcdef' } } },
      ...more,
    }),
    (more) => ({ type: 'content-delta', delta: { message: { content: { text: 'abcdef', ...more } } } }),
    (more) => ({ type: 'content-delta', delta: { message: { content: { thinking: 'abcdef' }, ...more } } }),
    (more) => ({ type: 'tool-plan-delta', delta: { message: { tool_plan: 'abcdef' }, ...more } }),
    (more) => ({
      type: 'tool-call-delta',
      delta: { message: { tool_calls: { function: { arguments: 'abcdef' }, ...more } } },
    }),
  ],
}

/** Fields of real frames other than the text, some of them long. */
const around: Readonly<Record<WireName, readonly object[]>> = {
  chat: [
    { logprobs: { content: Array.from({ length: 20 }, () => ({ token: 'abcdef', logprob: -1 })) } },
    {
      reasoning_details: [
        { type: 'reasoning.text', text: 'abcdef', format: 'anthropic-claude-v1', index: 0 },
      ],
    },
    { native_finish_reason: 'completed', obfuscation: extra },
  ],
  messages: [
    { usage: { service_tier: extra } },
    { context_management: { applied_edits: [{ type: extra }] } },
  ],
  generate: [
    { groundingMetadata: { groundingChunks: [{ web: { uri: extra, title: extra } }] } },
    { usageMetadata: { trafficType: 'ON_DEMAND', promptTokenCount: 1 }, responseId: extra },
  ],
  responses: [{ logprobs: [{ token: extra }], obfuscation: extra, item_id: extra }],
  converse: [{ usage: { serviceTier: extra } }],
  cohere: [{ id: extra, logprobs: { text: extra } }],
}

describe.each(wires)('frames of %s that contain a text under a second name', (wire) => {
  it('text under an unknown name is counted by its bytes, in every frame that contains the text', () => {
    for (const frame of beside[wire]) {
      const stream = open[wire]()
      const sent = Array.from({ length: 20 }, (_, i) => data(frame({ other: `${i}${extra}`.slice(0, 300) })))
      expect(sent.map((one) => stream.push(one)).join('')).toBe(sent.join(''))
      expect(stream.state).toBe('open')
      // The unknown field has 300 bytes and the text 6 bytes, and three bytes count as one token.
      expect(stream.outputTokens).toBeGreaterThanOrEqual(20 * 102)
      expect(stream.outputTokens).toBeLessThanOrEqual(20 * 104)
    }
  })

  it('names and framing words do not count as output, and a repeated text counts only once', () => {
    // Skip the frame of `generate` whose additional field is in a part of the answer, where any field counts as output.
    const frames = beside[wire].filter((_, i) => wire !== 'generate' || i !== 1)
    for (const frame of frames) {
      for (const more of [...around[wire], { other: 'x'.repeat(40) }]) {
        const stream = open[wire]()
        stream.push(data(frame(more)))
        expect([more, stream.outputTokens]).toEqual([more, 2])
      }
    }
  })
})

function thirdsOfUnknownIn(text: string): number {
  const json = parseJson(text)
  if ('reason' in json) throw new Error(json.reason)
  return thirdsOfUnknown(json, 0)
}

describe('a frame of unknown shape', () => {
  it('three bytes of ASCII count as one token, and other scripts count more', () => {
    expect(thirdsOfUnknownIn(JSON.stringify({ text: 'x'.repeat(300) }))).toBe(300)
    expect(thirdsOfUnknownIn('{"text":"\xe4\xb8\x96"}')).toBe(4)
  })

  it.each(wires)('a frame that is nested too deeply breaks a stream on the wire %s', (wire) => {
    const deep = `data: {"a":${'['.repeat(200)}${']'.repeat(200)}}\n\n`
    expect(after(wire, deep)).toMatchObject({ out: '', stream: { state: 'broken' } })
  })

  it('encrypted reasoning counts as much as the reasoning that it contains', () => {
    expect(thirdsOfUnknownIn(JSON.stringify({ encrypted_content: 'x'.repeat(798) }))).toBe(0)
    expect(thirdsOfUnknownIn(JSON.stringify({ encrypted_content: 'x'.repeat(4798) }))).toBe(2000)
  })

  it('lines outside of events count as output, but not a field name that a lost connection has cut off', () => {
    expect(thirdsOutsideData(': x\nevent: y\nid: 1\nda')).toBe(0)
    expect(thirdsOutsideData('hello\nworld\n\n')).toBe(10)
  })
})
