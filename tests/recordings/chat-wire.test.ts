import type { JsonObject } from '#wire/text/json-values.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { ChatDecoder, decodeChatAnswer } from '#convert/chat/answer-decoder.ts'
import { readChatResponse } from '#wire/chat/non-streaming-response.ts'
import { ChatFrameReader } from '#wire/chat/frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { hasNoRecordings, recordingsOf } from '../support/read-recordings.ts'
import { sampledRuns } from '../support/number-of-property-runs.ts'

/** Longer than any name in the recordings, with characters that JSON must escape. */
const alias = 'acme/"quick" modèle'

/** Each stream ends with exactly one empty line. */
const streams = recordingsOf('chat')
  .filter(({ isStream, status }) => isStream && status === 200)
  .map(({ name, bytes }) => ({ name, bytes: `${bytes.trimEnd()}\n\n` }))
const wholes = recordingsOf('chat').filter(({ isStream, status }) => !isStream && status === 200)

interface Count {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** The cost that OpenRouter states, in dollars. */
  readonly cost?: number
  readonly cost_details?: unknown
  readonly is_byok?: boolean
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number | null
    readonly cache_write_tokens?: number | null
    readonly audio_tokens?: number | null
  } | null
  readonly completion_tokens_details?: {
    readonly reasoning_tokens?: number | null
    readonly audio_tokens?: number | null
  } | null
}

interface Chunk {
  readonly model?: string
  readonly service_tier?: string | null
  readonly usage?: Count | null
  readonly choices?: readonly {
    readonly index?: number
    readonly finish_reason?: string | null
    readonly delta?: { readonly content?: unknown; readonly tool_calls?: readonly Call[] | null }
    readonly message?: { readonly content?: unknown; readonly tool_calls?: readonly Call[] | null }
  }[]
}

interface Call {
  readonly function?: { readonly arguments?: string }
}

function run(pieces: readonly ByteText[]): { out: ByteText; stream: PassThroughStream } {
  const stream = new PassThroughStream(new ChatFrameReader(alias, true))
  let out = ''
  for (const piece of pieces) out += stream.push(piece)
  out += stream.end()
  return { out: out + stream.tail(), stream }
}

function piecesOf(bytes: ByteText, cuts: readonly number[]): ByteText[] {
  const ends = [...new Set([...cuts.map((cut) => cut % bytes.length), bytes.length])]
  return ends.toSorted((one, other) => one - other).map((end, i, all) => bytes.slice(all[i - 1] ?? 0, end))
}

/** Independent of the product's code: JSON.parse, line by line. */
function chunksOf(bytes: ByteText): Chunk[] {
  return textOf(bytes)
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line): Chunk => JSON.parse(line.slice(6)))
}

/** Independent of the product's code, by docs/reference/conversions.md "Usage in a common form". */
function usageByFormula(chunks: readonly Chunk[]): Usage | null {
  const last = chunks.findLast(({ usage }) => usage)
  if (!last?.usage) return null
  const {
    prompt_tokens,
    completion_tokens,
    prompt_tokens_details: input,
    completion_tokens_details: output,
    cost,
  } = last.usage
  const cached = input?.cached_tokens ?? 0
  const written = input?.cache_write_tokens ?? 0
  const heard = input?.audio_tokens ?? 0
  return {
    ...zeroUsage,
    input: prompt_tokens - cached - written - heard,
    cacheRead: cached,
    cacheWrite: written,
    audioInput: heard,
    cacheReadAudio: 0,
    output: completion_tokens,
    reasoning: output?.reasoning_tokens ?? 0,
    audioOutput: output?.audio_tokens ?? 0,
    serviceTier: last.service_tier ?? null,
    ...(cost !== undefined && { statedCostNanos: Math.round(cost * 1e9) }),
  }
}

/** Removes the provider's names and prices, too. */
function withAlias(bytes: ByteText): string {
  const models = new Set(chunksOf(bytes).flatMap(({ model }) => model ?? []))
  // In the recordings, these fields always follow another field, with or without spaces.
  let text = textOf(bytes).replaceAll(/,\s*"(?:system_fingerprint|provider)":\s*(?:"[^"]*"|null)/g, '')
  for (const model of models) {
    for (const space of ['', ' '])
      text = text.replaceAll(
        `"model":${space}${JSON.stringify(model)}`,
        `"model":${space}${JSON.stringify(alias)}`,
      )
  }
  return text
}

function decoded(bytes: ByteText): readonly NeutralEvent[] {
  const decoder = new ChatDecoder({ origin: 'o', callIdPrefix: 'call_' })
  const frames = textOf(bytes)
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line): JsonObject => JSON.parse(line.slice(6)))
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function textsOf(events: readonly NeutralEvent[], kind: 'text' | 'arguments'): string {
  return events.map((event) => (event.kind === kind ? event.text : '')).join('')
}

describe.skipIf(hasNoRecordings)('recorded chat completions', () => {
  it('recorded chat completions exist', () => {
    expect(streams.length).toBeGreaterThanOrEqual(3)
    expect(wholes.length).toBeGreaterThanOrEqual(3)
  })

  it.each(streams)(
    '$name: the bytes are the same except for the model and the provider, and the usage follows the documented formulas',
    ({ bytes }) => {
      for (const pieces of [[bytes], bytes.split(/(?<=\n\n)/), bytes.split('')]) {
        const { out, stream } = run(pieces)
        expect(textOf(out)).toBe(withAlias(bytes))
        expect(stream.state).toBe('done')
        expect(stream.usage).toEqual(usageByFormula(chunksOf(bytes)))
      }
    },
  )

  it('the result of a recorded chat stream does not depend on the positions where the network divides it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.array(fc.nat(60_000), { maxLength: 60 }),
        ({ bytes }, cuts) => {
          const whole = run([bytes])
          const split = run(piecesOf(bytes, cuts))
          expect(split.out).toBe(whole.out)
          expect(split.stream.usage).toEqual(whole.stream.usage)
          expect(split.stream.outputTokens).toBe(whole.stream.outputTokens)
        },
      ),
      sampledRuns(5000),
    )
  })

  it('a recorded chat stream is incomplete if it is cut before its finish reason', () => {
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.nat(), ({ bytes }, cut) => {
        const finish = bytes.search(/"finish_reason":\s*"/)
        const { stream } = run([bytes.slice(0, cut % finish)])
        expect(stream.state).not.toBe('done')
      }),
      { numRuns: 500 },
    )
  })

  it.each(streams)('$name: the decoded events equal the recorded answer', ({ bytes }) => {
    const events = decoded(bytes)
    const deltas = chunksOf(bytes).flatMap(({ choices }) => choices ?? [])
    const said = deltas.map(({ delta }) => (typeof delta?.content === 'string' ? delta.content : ''))
    const calls = deltas.flatMap(({ delta }) => delta?.tool_calls ?? [])
    expect(textsOf(events, 'text')).toBe(said.join(''))
    // The comparison ignores the order of the characters, because the pieces of several tool calls may alternate.
    const given = calls.map((call) => call.function?.arguments ?? '').join('')
    const wanted = given || (calls.length > 0 ? '{}' : '')
    expect(textsOf(events, 'arguments').split('').toSorted()).toEqual(wanted.split('').toSorted())
    expect(events.filter(({ kind }) => kind === 'finish')).toHaveLength(
      new Set(deltas.filter((choice) => choice.finish_reason).map(({ index }) => index ?? 0)).size,
    )
    const usage = events.findLast((event) => event.kind === 'usage')
    expect(usage?.usage ?? null).toEqual(usageByFormula(chunksOf(bytes)))
  })

  it.each(wholes)(
    '$name: a non-streaming response is forwarded unconverted, and the gateway reads its usage',
    ({ bytes }) => {
      const body: Chunk & JsonObject = JSON.parse(textOf(bytes))
      const answer = readChatResponse(bytes, alias)
      const { system_fingerprint: _, provider: __, ...others } = body
      const shown: Chunk & JsonObject = { ...others, model: alias }
      if (body.usage) {
        const { cost: ___, cost_details: ____, is_byok: _____, ...usage } = body.usage
        Object.assign(shown, { usage })
      }
      expect(JSON.parse(textOf(answer?.body ?? byteTextOf('null')))).toEqual(shown)
      expect(answer?.usage).toEqual(usageByFormula([body]))
      const events = decodeChatAnswer(body, { origin: 'o', callIdPrefix: 'call_' }) ?? []
      const messages = (body.choices ?? []).flatMap(({ message }) => message ?? [])
      expect(textsOf(events, 'text')).toBe(
        messages.map(({ content }) => (typeof content === 'string' ? content : '')).join(''),
      )
      expect(textsOf(events, 'arguments')).toBe(
        messages
          .flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.function?.arguments ?? ''))
          .join(''),
      )
      expect(events.filter(({ kind }) => kind === 'finish')).toHaveLength(messages.length)
    },
  )
})
