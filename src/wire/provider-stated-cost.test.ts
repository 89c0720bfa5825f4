import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { readChatResponse } from '#wire/chat/non-streaming-response.ts'
import { ChatFrameReader } from '#wire/chat/frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { readMessagesResponse } from '#wire/messages/non-streaming-response.ts'
import { MessagesFrameReader } from '#wire/messages/frame-reader.ts'
import { readResponsesAnswer } from '#wire/responses/non-streaming-response.ts'
import { ResponsesFrameReader } from '#wire/responses/frame-reader.ts'

/** Recorded or documented members of OpenRouter, xAI, DeepInfra and Perplexity. */
const prices: readonly (readonly [string, unknown])[] = [
  ['cost', 0.000_034_4],
  ['is_byok', false],
  ['cost_details', { upstream_inference_cost: null, upstream_inference_prompt_cost: 0.1 }],
  ['cost_in_usd_ticks', 1_721_250],
  ['estimated_cost', 1.5e-5],
  ['cost', { total_cost: 0.006, input_tokens_cost: 0 }],
]
const counts: readonly (readonly [string, unknown])[] = [
  ['prompt_tokens', 9],
  ['completion_tokens', 3],
  ['input_tokens', 9],
  ['output_tokens', 3],
  ['details', { cached_tokens: 0, parts: [{ audio_tokens: 0 }] }],
  ['empty', {}],
]

/** A usage with its members in random order, and the part that the client gets. */
const usages = fc
  .tuple(
    fc.shuffledSubarray([...prices], { minLength: 1 }),
    fc.shuffledSubarray([...counts], { minLength: counts.length }),
    fc.boolean(),
    fc.infiniteStream(fc.boolean()),
  )
  .map(([told, kept, isDeep, turns]) => {
    const members: (readonly [string, unknown])[] = []
    const [some, others] = [[...told], [...kept]]
    while (some.length + others.length > 0) {
      const next =
        turns.next().value === true ? (some.shift() ?? others.shift()) : (others.shift() ?? some.shift())
      if (next) members.push(next)
    }
    const shown = Object.fromEntries(members.filter((one) => kept.includes(one)))
    const given = Object.fromEntries(members)
    if (!isDeep) return { given, shown }
    return { given: { ...given, more: [{ deep: given }] }, shown: { ...shown, more: [{ deep: shown }] } }
  })

const moneyWords = /cost|byok/
const message = { role: 'assistant', content: 'hi' }

const wholes: readonly (readonly [
  name: string,
  read: (body: string) => { body: string } | null,
  body: (usage: object) => Record<string, unknown>,
])[] = [
  [
    'a chat completion',
    (body) => readChatResponse(body, 'm'),
    (usage) => ({ model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
  ],
  [
    'a chat completion with its usage in a choice',
    (body) => readChatResponse(body, 'm'),
    (usage) => ({ model: 'm', choices: [{ index: 0, message, finish_reason: 'stop', usage }] }),
  ],
  [
    'a message',
    (body) => readMessagesResponse(body, 'm'),
    (usage) => ({ model: 'm', content: [{ type: 'text', text: 'hi' }], usage }),
  ],
  [
    'a response',
    (body) => readResponsesAnswer(body, 'm'),
    (usage) => ({ model: 'm', status: 'completed', output: [], usage }),
  ],
]

const data = (frame: object): string => `data: ${JSON.stringify(frame)}\n\n`
const chunk = (more: object): object => ({ id: 'c', created: 1, model: 'm', choices: [], ...more })
const said = { index: 0, delta: { content: 'hi' }, finish_reason: null }
const finished = { index: 0, delta: {}, finish_reason: 'stop' }
const done = 'data: [DONE]\n\n'

const streams: readonly (readonly [
  name: string,
  open: () => AnswerStream,
  frames: (usage: object) => readonly object[],
])[] = [
  [
    'a chunk of the usage alone',
    () => new PassThroughStream(new ChatFrameReader('m', true)),
    (usage) => [chunk({ choices: [said] }), chunk({ choices: [finished] }), chunk({ usage })],
  ],
  [
    'the last chunk, whether the usage was asked for or not',
    () => new PassThroughStream(new ChatFrameReader('m', false)),
    (usage) => [chunk({ choices: [said] }), chunk({ usage, choices: [finished] })],
  ],
  [
    'every chunk',
    () => new PassThroughStream(new ChatFrameReader('m', true)),
    (usage) => [
      chunk({ choices: [said], usage }),
      chunk({ choices: [said], usage }),
      chunk({ choices: [finished], usage }),
    ],
  ],
  [
    'every choice',
    () => new PassThroughStream(new ChatFrameReader('m', false)),
    (usage) => [
      chunk({ choices: [{ ...said, usage }] }),
      chunk({ choices: [{ ...said, usage }] }),
      chunk({ choices: [{ ...finished, usage }] }),
    ],
  ],
  [
    'the frames of a message',
    () => new PassThroughStream(new MessagesFrameReader('m')),
    (usage) => [
      { type: 'message_start', message: { id: 'x', model: 'm', content: [], usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'hi' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ],
  ],
  [
    'the events of a response',
    () => new PassThroughStream(new ResponsesFrameReader('m')),
    (usage) => [
      { type: 'response.created', response: { id: 'r', model: 'm', output: [], usage } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'hi' },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [], usage } },
    ],
  ],
]

function passed(stream: AnswerStream, text: string): string {
  // On all wires except chat, data after the end is ignored.
  const out = stream.push(byteTextOf(text + done)) + stream.end()
  expect(stream.state).toBe('done')
  if (!stream.usage) throw new Error('the usage is not read')
  return textOf(out + stream.tail(stream.usage))
}

describe('the price that a provider states', () => {
  it.each(wholes)('the price is removed from %s, and all other fields are unchanged', (_, read, bodyOf) => {
    fc.assert(
      fc.property(usages, fc.constantFrom(0, 1), ({ given, shown }, indent) => {
        const answer = read(JSON.stringify(bodyOf(given), null, indent))
        expect(answer).toMatchObject({ usage: { output: 3 } })
        expect(JSON.parse(answer?.body ?? '')).toEqual(bodyOf(shown))
        expect(answer?.body).not.toMatch(moneyWords)
      }),
    )
  })

  it.each(wholes)('the price is removed from %s, even if its names have escapes', (_, read, bodyOf) => {
    fc.assert(
      fc.property(usages, ({ given, shown }) => {
        const escaped = JSON.stringify(bodyOf(given))
          .replaceAll('cost', String.raw`\u0063ost`)
          .replaceAll('byok', String.raw`by\u006fk`)
          .replaceAll('usd', String.raw`us\u0064`)
        expect(JSON.parse(read(escaped)?.body ?? '')).toEqual(bodyOf(shown))
      }),
    )
  })

  it.each(streams)(
    'the price that a provider states is removed from %s, and all other fields are unchanged',
    (_, open, framesOf) => {
      fc.assert(
        fc.property(usages, ({ given, shown }) => {
          const sent = framesOf(given).map(data).join('')
          const out = passed(open(), sent)
          const frames = out.split('\n\n').filter((frame) => frame !== '' && !frame.includes('[DONE]'))
          expect(frames.map((frame): unknown => JSON.parse(frame.slice('data: '.length)))).toEqual(
            framesOf(shown),
          )
          expect(out).not.toMatch(moneyWords)
        }),
      )
    },
  )

  it('a price next to the usage of a chat answer is also removed, and does not count as text', () => {
    const end = chunk({ usage: { prompt_tokens: 9, completion_tokens: 3 } })
    const stream = new PassThroughStream(new ChatFrameReader('m', true))
    const sent = [chunk({ choices: [said] }), chunk({ choices: [finished] }), end, chunk({ cost: '0.0012' })]
    const out = passed(stream, sent.map(data).join(''))
    expect(out).not.toMatch(moneyWords)
    expect(stream.textChunks).toBe(1)
    const body = JSON.stringify({ cost: 0.1, choices: [{ index: 0, message }] })
    expect(readChatResponse(body, 'm')?.body).not.toMatch(moneyWords)
  })

  it('the price that a provider states is recorded although the client does not get it', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, input_tokens: 9, output_tokens: 3, cost: 0.25 }
    const stated = { statedCostNanos: 250_000_000 }
    for (const [, read, bodyOf] of wholes.filter(([name]) => name !== 'a message'))
      expect(read(JSON.stringify(bodyOf(usage)))).toMatchObject({ usage: stated })
    for (const [, open, framesOf] of streams.filter(([one]) => !one.includes('message'))) {
      const stream = open()
      passed(stream, framesOf(usage).map(data).join(''))
      expect(stream.usage).toMatchObject(stated)
    }
  })

  it('text about costs is not changed if the model wrote it', () => {
    const text = '{"usage":{"cost":1}}'
    const stream = new PassThroughStream(new ChatFrameReader('m', true))
    const frame = data(chunk({ choices: [{ ...said, delta: { content: text, cost: 2 } }] }))
    expect(stream.push(frame)).toBe(frame)
  })
})
