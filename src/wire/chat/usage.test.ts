import { describe, expect, it } from 'vitest'
import { costOf } from '#money/cost.ts'
import type { Price } from '#money/price.ts'
import type { Usage } from '#money/usage-counts.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { codecs } from '#convert/table-of-codecs.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { decodeChatAnswer, ChatDecoder } from '#convert/chat/answer-decoder.ts'
import { readChatResponse } from './non-streaming-response.ts'
import { ChatFrameReader } from './frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { usageToConverse } from '#wire/converse/usage.ts'
import { usageToMessages } from '#wire/messages/usage.ts'
import { usageFromChat, usageToChat } from './usage.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

/** The prices that xAI published for grok-3-mini and grok-4.3. */
const mini: Price = { input: 300_000n, cacheRead: 75_000n, output: 500_000n }
const grok: Price = { input: 1_250_000n, cacheRead: 200_000n, output: 2_500_000n }

function xai(
  prompt: number,
  completion: number,
  total: number,
  details: number[],
  ticks: number,
): JsonObject {
  const [cached = 0, reasoned = 0] = details
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: total,
    prompt_tokens_details: { text_tokens: prompt, audio_tokens: 0, image_tokens: 0, cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoned, audio_tokens: 0 },
    num_sources_used: 0,
    cost_in_usd_ticks: ticks,
  }
}

it('a server that reports the service tier fast reports the tier priority', () => {
  const counts = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  expect(usageFromChat(counts, 'fast')?.serviceTier).toBe('priority')
  expect(usageFromChat(counts, 'flex')?.serviceTier).toBe('flex')
})

/** Recorded usages, with the cost that xAI states, in units of 10^-10 dollars. */
const recorded: readonly (readonly [string, JsonObject, Price])[] = [
  ['an answer', xai(12, 2, 354, [11, 340], 1_721_250), mini],
  ['another', xai(12, 2, 334, [2, 320], 1_641_500), mini],
  ['a stream', xai(12, 1, 303, [11, 290], 1_466_250), mini],
  ['a call of a tool', xai(291, 26, 506, [244, 189], 1_399_000), mini],
  ['a streamed call of a tool', xai(291, 26, 513, [290, 196], 1_330_500), mini],
  ['an answer of another model', xai(197, 1, 344, [192, 146], 4_121_500), grok],
]

function whole(extra: JsonObject): ByteText {
  return byteTextOf(
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      ...extra,
    }),
  )
}

/** The last frame contains the usage, together with choices if `isWithChoices` is set. */
function streamed(extra: JsonObject, isWithChoices: boolean): ByteText {
  const delta = { id: 'c', choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: null }] }
  const finish = [{ index: 0, delta: {}, finish_reason: 'stop' }]
  const frames = isWithChoices
    ? [delta, { id: 'c', choices: finish, ...extra }]
    : [delta, { id: 'c', choices: finish }, { id: 'c', choices: [], ...extra }]
  return byteTextOf(`${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`)
}

/** Reads a non-streaming response and a stream, each with and without conversion to another wire. */
function readEveryWay(extra: JsonObject, isWithChoices: boolean): (Usage | null)[] {
  const stream = new PassThroughStream(new ChatFrameReader('alias', true))
  const text = streamed(extra, isWithChoices)
  stream.push(text)
  stream.end()
  const options = { origin: 'o', callIdPrefix: 'call_' }
  const decoder = new ChatDecoder(options)
  const frames = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line): JsonObject => JSON.parse(line.slice(6)))
  const events = [frames.flatMap((frame) => decoder.push(frame))]
  events.push([...(decodeChatAnswer(JSON.parse(whole(extra)), options) ?? [])])
  return [
    readChatResponse(whole(extra), 'alias')?.usage ?? null,
    stream.usage,
    ...events.map((list) => list.findLast((event) => event.kind === 'usage')?.usage ?? null),
  ]
}

describe('reasoning in addition to the completion', () => {
  it.each(recorded)(
    'the computed cost of %s equals the cost that xAI states, rounded up to a micro',
    (_name, usage, price) => {
      for (const read of readEveryWay({ usage }, false)) {
        const nanos = Number(usage['cost_in_usd_ticks']) / 10
        expect(read && costOf(read, price).amount).toBe(BigInt(Math.ceil(nanos / 1000)))
        expect(read?.statedCostNanos).toBe(nanos)
        expect(read?.reasoning).toBe((read?.output ?? 0) - Number(usage['completion_tokens']))
      }
    },
  )

  it('thoughts that Gemini includes only in the total are added to the output', () => {
    const usage = { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 }
    for (const read of readEveryWay({ usage }, false)) {
      expect(read).toMatchObject({ input: 35, output: 74, reasoning: 62 })
      expect(read && costOf(read, { input: 1_000_000n, output: 5_000_000n }).amount).toBe(405n)
    }
  })

  it('a client of another wire gets the corrected count of reasoning', () => {
    const [, usage] = recorded[0] ?? []
    const told = usageFromChat(usage, null)
    const request = wires.messages.parseRequest(
      '{"model":"a","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}',
      { model: null, isStream: false, isJsonArray: false },
    )
    if ('kind' in request) throw new Error(request.reason)
    const neutral = codecs.messages.readRequest(request)
    if ('kind' in neutral) throw new Error('it is no request')
    const answer = codecs.messages.encodeAnswer(
      [
        ...(decodeChatAnswer(JSON.parse(whole({ usage })), { origin: 'o', callIdPrefix: 'call_' }) ?? []),
        { kind: 'usage', usage: told },
      ],
      encoderOptions({
        alias: 'a',
        request: neutral,
      }),
    )
    expect(answer['usage']).toMatchObject({
      input_tokens: 1,
      cache_read_input_tokens: 11,
      output_tokens: 342,
      output_tokens_details: { thinking_tokens: 340 },
    })
  })

  it.each([
    ['a total of the two', { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 }],
    ['no total', { prompt_tokens: 10, completion_tokens: 7 }],
    ['a total that is too small', { prompt_tokens: 10, completion_tokens: 7, total_tokens: 3 }],
    ['a total that is no count', { prompt_tokens: 10, completion_tokens: 7, total_tokens: '99' }],
  ])('reasoning is not added to the completion if %s', (_name, counts) => {
    const usage = { ...counts, completion_tokens_details: { reasoning_tokens: 4 } }
    expect(usageFromChat(usage, null)).toMatchObject({ input: 10, output: 7, reasoning: 4 })
  })

  it('reasoning tokens that exceed the completion tokens are charged even if the total omits them, as in reports of Vercel', () => {
    const usage = {
      prompt_tokens: 61,
      completion_tokens: 18,
      total_tokens: 79,
      completion_tokens_details: { reasoning_tokens: 137 },
      cost: 0.001982,
    }
    for (const read of readEveryWay({ usage }, false)) {
      expect(read).toMatchObject({ input: 61, output: 155, reasoning: 137, statedCostNanos: 1_982_000 })
      expect(read && costOf(read, { input: 2_000_000n, output: 12_000_000n }).amount).toBe(1982n)
    }
  })

  it('a usage report whose total exceeds the largest possible count is rejected', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 7, total_tokens: 1e12 }
    expect(usageFromChat(usage, null)).toBeNull()
  })
})

describe('input counted outside the prompt', () => {
  it('OpenRouter’s cache reads and cache writes overlap, and its prompt count includes both', () => {
    const details = { cached_tokens: 2_161, cache_write_tokens: 2_161 }
    const usage = {
      prompt_tokens: 2_168,
      completion_tokens: 18,
      total_tokens: 2_186,
      prompt_tokens_details: details,
    }
    // The rates and the cost that OpenRouter states for Gemini 2.5 Flash, which include 5 minutes of storage.
    const rates: Price = { input: 300_000n, output: 2_500_000n, cacheRead: 30_000n, cacheWrite: 83_333n }
    const stated = {
      ...usage,
      completion_tokens: 100,
      total_tokens: 2_268,
      is_byok: false,
      cost: 0.000497013,
    }
    for (const read of readEveryWay({ usage: stated }, false)) {
      expect(read).toMatchObject({ input: 7, cacheRead: 2_161, cacheWrite: 2_161, cacheOverlap: 2_161 })
      expect(read).not.toHaveProperty('isAmbiguous')
      expect(read && costOf(read, rates).amount).toBe(498n)
      expect(read && usageToMessages(read)).toMatchObject({ input_tokens: 7, cache_read_input_tokens: 2_161 })
      expect(read && usageToConverse(read)).toMatchObject({ inputTokens: 7, totalTokens: 2_268 })
      expect(read && usageToChat(read)).toMatchObject({ prompt_tokens: 2_168, total_tokens: 2_268 })
    }
    for (const read of readEveryWay({ usage }, false)) expect(read).toMatchObject({ input: 2_168 })
  })

  const price: Price = { input: 1_000_000n, output: 10_000_000n }

  it.each([
    ['tokens', { prompt_tokens_details: { audio_tokens: 375 } }],
    ['seconds', { prompt_audio_seconds: 30 }],
  ])('Mistral’s audio input is read if the usage states its %s', (_name, audio) => {
    const usage = { prompt_tokens: 9, completion_tokens: 248, total_tokens: 632, ...audio }
    for (const read of readEveryWay({ usage }, false)) {
      expect(read).toMatchObject({ input: 9, audioInput: 375, output: 248, reasoning: 0 })
      expect(read && costOf(read, price).amount).toBe(2864n)
    }
  })

  it.each([undefined, 175, 336])(
    'the prompt count of Grok on Azure does not include cached input (total: %s)',
    (total) => {
      const usage = {
        prompt_tokens: 10,
        completion_tokens: 165,
        total_tokens: total,
        prompt_tokens_details: { cached_tokens: 161 },
      }
      for (const read of readEveryWay({ usage }, false))
        expect(read).toMatchObject({ input: 10, cacheRead: 161, output: 165 })
    },
  )

  it('cached input and the completion are kept if the prompt count is missing', () => {
    for (const read of readEveryWay({ usage: { completion_tokens: 23 } }, false))
      expect(read).toMatchObject({ input: 0, output: 23, lacks: 'input' })
    for (const read of readEveryWay({ usage: { prompt_tokens: 23, completion_tokens: null } }, false))
      expect(read).toMatchObject({ input: 23, output: 0, lacks: 'output' })
    for (const read of readEveryWay({ usage: { completion_tokens: 23, total_tokens: 62 } }, false))
      expect(read).toMatchObject({ input: 39, output: 23 })
  })
})

describe('the usage of Groq', () => {
  const groq = {
    id: 'req_1',
    usage: { queue_time: 0.1, prompt_tokens: 1900, completion_tokens: 300, total_tokens: 2200 },
  }

  it('Groq’s own usage member is read if the response has no other usage', () => {
    for (const read of readEveryWay({ x_groq: groq }, true))
      expect(read).toMatchObject({ input: 1900, output: 300 })
  })

  it('Groq’s own usage member does not replace a usage at the top level', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2 }
    for (const read of readEveryWay({ usage, x_groq: groq }, true))
      expect(read).toMatchObject({ input: 1, output: 2 })
  })

  it('the member `x_groq` is not a usage if the member contains only an ID', () => {
    expect(readEveryWay({ x_groq: { id: 'req_1' } }, true)).toEqual([null, null, null, null])
  })
})

describe('the usage that Moonshot puts into a choice', () => {
  const usage = { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40, cached_tokens: 10 }

  it('the usage in a choice is read from a response and from a stream, with and without conversion', () => {
    const choices = [{ index: 0, message: { content: 'hi' }, delta: {}, finish_reason: 'stop', usage }]
    for (const read of readEveryWay({ choices }, true))
      expect(read).toMatchObject({ input: 9, cacheRead: 10, output: 21 })
  })

  it('a usage or null in a choice does not replace the usage at the top level', () => {
    const choices = [{ index: 0, message: { content: 'hi' }, delta: {}, finish_reason: 'stop', usage }]
    const top = { prompt_tokens: 1, completion_tokens: 2 }
    for (const read of readEveryWay({ choices, usage: top }, true))
      expect(read).toMatchObject({ input: 1, output: 2 })
    for (const read of readEveryWay({ choices, usage: null }, true))
      expect(read).toMatchObject({ input: 9, output: 21 })
  })
})

describe('the cost that a provider states for a call', () => {
  const counts = { prompt_tokens: 675, completion_tokens: 1 }

  it.each([
    ['dollars of OpenRouter', { ...counts, cost: 0.0000344 }, 34_400],
    ['nothing', { ...counts, cost: 0 }, 0],
    ['units of xAI before dollars', { ...counts, cost: 1, cost_in_usd_ticks: 25 }, 3],
    ['a text', { ...counts, cost: '0.1' }, undefined],
    ['less than nothing', { ...counts, cost: -1 }, undefined],
    ['a fortune', { ...counts, cost: 1e9 }, undefined],
    ['no word', counts, undefined],
  ])('%s', (_name, usage, nanos) => {
    expect(usageFromChat(usage, null)?.statedCostNanos).toBe(nanos)
  })
})

describe('cached tokens and audio in one prompt', () => {
  it('cached tokens and audio in the same prompt are returned as reported, because their overlap is unknown', () => {
    expect(
      usageFromChat(
        {
          prompt_tokens: 150,
          completion_tokens: 1,
          prompt_tokens_details: { cached_tokens: 100, audio_tokens: 100 },
        },
        null,
      ),
    ).toMatchObject({ input: 50, cacheRead: 100, audioInput: 100, isMediaWithin: true })
  })

  it('cached tokens and audio cannot overlap if the prompt has only one of the two', () => {
    for (const details of [{ audio_tokens: 100 }, { cached_tokens: 100 }, {}])
      expect(
        usageFromChat({ prompt_tokens: 150, completion_tokens: 1, prompt_tokens_details: details }, null),
      ).not.toHaveProperty('isMediaWithin')
  })
})
