import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Usage, zeroUsage } from '#money/usage-counts.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { readResponsesAnswer } from '#wire/responses/non-streaming-response.ts'
import { ResponsesFrameReader } from '#wire/responses/frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { decodeResponsesAnswer, ResponsesDecoder } from '#convert/responses/answer-decoder.ts'
import { tierInForce } from '#convert/responses/response-with-request-fields.ts'
import { ResponsesEncoder } from '#convert/responses/answer-encoder.ts'
import { responses } from '#convert/responses/codec.ts'
import { parseResponsesRequest } from '#wire/responses/parse-request.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import { isFault } from '#wire/wire-request.ts'
import type { NeutralEvent, NeutralRequest } from '#convert/neutral-format.ts'
import { hasNoRecordings, recordingsOf } from '../support/read-recordings.ts'
import { sampledRuns } from '../support/number-of-property-runs.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

/** Longer than any name in the recordings, with characters that JSON must escape. */
const alias = 'acme/"quick" modèle'

interface Frame {
  readonly type?: string
  readonly delta?: unknown
  readonly response?: { readonly model?: string; readonly usage?: unknown; readonly service_tier?: string }
}

/** Excludes errors with another status, because such errors never reach a stream. */
const streams = recordingsOf('responses').filter(({ isStream, status }) => isStream && status === 200)
const wholes = recordingsOf('responses').filter(({ isStream, status }) => !isStream && status === 200)

function run(pieces: readonly ByteText[]): { out: ByteText; stream: PassThroughStream } {
  const stream = new PassThroughStream(new ResponsesFrameReader(alias))
  let out = ''
  for (const piece of pieces) out += stream.push(piece)
  out += stream.end()
  return { out: out + stream.tail(), stream }
}

function piecesOf(bytes: ByteText, cuts: readonly number[]): ByteText[] {
  const ends = [...new Set([...cuts, bytes.length])].toSorted((one, other) => one - other)
  return ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end))
}

/** Independent of the product's code: JSON.parse, line by line. */
function framesOf(bytes: ByteText): Frame[] {
  return textOf(bytes)
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line): Frame => JSON.parse(line.slice(6)))
}

/** Independent of the product's code, by docs/reference/conversions.md "Usage in a common form". */
function usageByFormula(frames: readonly Frame[]): Usage | null {
  const end = frames.findLast(({ response }) => response?.usage)?.response
  if (!end) return null
  const usage = end.usage as {
    input_tokens: number
    output_tokens: number
    input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number }
    output_tokens_details?: { reasoning_tokens?: number }
  }
  const cached = usage.input_tokens_details?.cached_tokens ?? 0
  const written = usage.input_tokens_details?.cache_write_tokens ?? 0
  return {
    ...zeroUsage,
    input: usage.input_tokens - cached - written,
    cacheRead: cached,
    cacheWrite: written,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
    serviceTier: end.service_tier ?? null,
  }
}

/** If a recording contains several calls in one file, each call becomes a separate stream. */
function apart(bytes: ByteText): ByteText[] {
  return bytes
    .split(/(?=event: response\.created\n)/)
    .filter((part) => part.trim() !== '')
    .map((part) => (part.endsWith('\n\n') ? part : `${part.trimEnd()}\n\n`))
}

/** In one recording, two frames lack their last brace. */
const isBroken = (name: string): boolean => name.includes('parallel-tool-call-wrapper')
const sources = streams.flatMap(({ name, bytes }) =>
  apart(isBroken(name) ? bytes.replaceAll('"metadata":{}}\n\n', '"metadata":{}}}\n\n') : bytes).map(
    (part, i) => ({
      name: `${name} #${i}`,
      bytes: part,
    }),
  ),
)

/** The client receives its own model name, and `store` set to false. */
function withAlias(bytes: ByteText): string {
  const models = new Set(framesOf(bytes).flatMap(({ response }) => response?.model ?? []))
  let text = textOf(bytes)
  for (const model of models)
    text = text.replaceAll(`"model":${JSON.stringify(model)}`, `"model":${JSON.stringify(alias)}`)
  return notStored(text)
}

function notStored(text: string): string {
  return text.replaceAll(/"store"(:\s*)true/g, '"store"$1false')
}

describe.skipIf(hasNoRecordings)('recorded responses', () => {
  it('the folder of recordings contains streams and non-streaming responses', () => {
    expect(sources.length).toBeGreaterThanOrEqual(6)
    expect(wholes.length).toBeGreaterThanOrEqual(2)
  })

  it.each(sources)(
    '$name: the bytes are the same except for the model, and the usage follows the formulas',
    ({ bytes }) => {
      const { out, stream } = run([bytes])
      expect(textOf(out)).toBe(withAlias(bytes))
      expect(stream.state).toBe('done')
      expect(stream.usage).toEqual(usageByFormula(framesOf(bytes)))
    },
  )

  it.each(sources)(
    '$name: the result is the same if the stream arrives frame by frame, byte by byte or split inside characters',
    ({ bytes }) => {
      const expected = run([bytes]).out
      for (const pieces of [bytes.split(/(?<=\n\n)/), bytes.split('')]) {
        const { out, stream } = run(pieces)
        expect(out).toBe(expected)
        expect(stream.usage).toEqual(usageByFormula(framesOf(bytes)))
      }
    },
  )

  it('the result of a recorded responses stream does not depend on the positions where the network divides it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(fc.nat(60_000), { maxLength: 60 }),
        ({ bytes }, cuts) => {
          const whole = run([bytes])
          const split = run(
            piecesOf(
              bytes,
              cuts.map((cut) => cut % bytes.length),
            ),
          )
          expect(split.out === whole.out).toBe(true)
          expect(split.stream.usage).toEqual(whole.stream.usage)
          expect(split.stream.outputTokens).toBe(whole.stream.outputTokens)
        },
      ),
      sampledRuns(5000),
    )
  })

  it('a stream that is cut before its end is incomplete, and the client receives no part of an end', () => {
    fc.assert(
      fc.property(fc.constantFrom(...sources), fc.nat(60_000), ({ bytes }, at) => {
        const end = bytes.lastIndexOf('event: response.completed')
        // The cut is before the name of the last event, because an event is complete even without its empty line
        // (split-server-sent-events.ts).
        const cut = bytes.slice(0, at % end)
        const { out, stream } = run([cut])
        expect(stream.state).not.toBe('done')
        // `out` also contains the bytes that the stream sends after the cut.
        expect(out).not.toContain('response.completed')
      }),
      { numRuns: 1000 },
    )
  })

  it('a stream sends nothing before the first piece of output, and then every frame as soon as it arrives', () => {
    for (const { bytes } of sources) {
      const stream = new PassThroughStream(new ResponsesFrameReader(alias))
      let out = ''
      let given = ''
      for (const frame of bytes.split(/(?<=\n\n)/)) {
        if (frame.includes('event: response.completed')) break
        given += frame
        out += stream.push(frame)
        const hasPiece = /event: response\.(?:\w+\.delta|output_item\.done)\n/.test(given)
        expect(textOf(out)).toBe(hasPiece ? withAlias(given) : '')
      }
    }
  })

  it('an invalid JSON frame before any output makes the stream fail', () => {
    const broken = streams.find(({ name }) => isBroken(name))?.bytes ?? ''
    const { out, stream } = run([broken])
    expect(out).toBe('')
    expect(stream.state).toBe('broken')
  })

  it('the gateway’s own count of a stream’s output is at least half of the billed output', () => {
    for (const { name, bytes } of sources) {
      const { stream } = run([bytes])
      const billed = usageByFormula(framesOf(bytes))?.output ?? 0
      expect(stream.outputTokens, name).toBeGreaterThanOrEqual(billed / 2)
      expect(stream.outputTokensSure, name).toBeLessThanOrEqual(billed + 1)
    }
  })

  it.each(wholes)('$name: a non-streaming response keeps its bytes except for the model', ({ bytes }) => {
    const body = JSON.parse(textOf(bytes))
    const answer = readResponsesAnswer(bytes, alias)
    expect(JSON.parse(textOf(answer?.body ?? ''))).toEqual({
      ...body,
      model: alias,
      ...(body.store === true && { store: false }),
    })
    expect(answer?.usage).toEqual(usageByFormula([{ response: body }]))
  })

  it.each(sources)(
    '$name: the content is the same after the response is decoded and encoded again',
    ({ bytes }) => {
      const events = eventsOf(bytes)
      expect(events.at(-1)?.kind).toBe('finish')
      const encoder = new ResponsesEncoder(optionsOfRecording())
      const body = events.reduce((out, event) => out + encoder.write(event), '')
      const used = events.findLast((event) => event.kind === 'usage')?.usage
      const again = eventsOf(body + encoder.tail(used ?? expect.unreachable('no usage')))
      expect(again.map(withoutIds)).toEqual(events.map(withTier).map(withoutIds))
    },
  )

  it.each(sources)(
    '$name: the events contain every text, name and encrypted reasoning, by the test’s own count',
    ({ bytes }) => {
      const frames = framesOf(bytes)
      const texts = (type: string): string =>
        frames
          .filter((frame) => frame.type === type)
          .map(({ delta }) => String(delta))
          .join('')
      const said = (kind: string): string =>
        eventsOf(bytes)
          .map((event) => (event.kind === kind && 'text' in event ? event.text : ''))
          .join('')
      expect(said('text')).toBe(texts('response.output_text.delta'))
      expect(said('arguments')).toBe(texts('response.function_call_arguments.delta'))
      expect(said('reasoning').replaceAll('\n\n', '')).toBe(
        texts('response.reasoning_summary_text.delta').replaceAll('\n\n', ''),
      )
    },
  )

  it.each(wholes)('$name: a non-streaming response has the events of a stream', ({ bytes }) => {
    const events = decodeResponsesAnswer(JSON.parse(textOf(bytes)), decoderOptions)
    expect(events?.[0]?.kind).toBe('start')
    expect(events?.at(-1)?.kind).toBe('finish')
  })

  it.each(recordingsOf('responses').filter(({ requestBody, status }) => requestBody && status === 200))(
    '$name: the gateway can read the recorded request',
    ({ requestBody }) => {
      expect(readRecorded(requestBody)).toMatchObject({ isStream: true })
    },
  )
})

const decoderOptions = { origin: 'openai-1', callIdPrefix: 'call_x' }

function eventsOf(bytes: ByteText): NeutralEvent[] {
  const decoder = new ResponsesDecoder(decoderOptions)
  return framesOf(bytes).flatMap((frame) => decoder.push({ ...frame }))
}

/** The gateway's response always contains the service tier, but some recorded servers omit it. */
function withTier(event: NeutralEvent): NeutralEvent {
  if (event.kind !== 'usage' || event.usage === null) return event
  return { ...event, usage: { ...event.usage, serviceTier: tierInForce(event.usage.serviceTier) } }
}

function withoutIds(event: NeutralEvent): unknown {
  return event.kind === 'start' ? event.kind : event
}

function optionsOfRecording(): EncoderOptions {
  return encoderOptions({
    alias,
    request: readRecorded({ model: 'm', input: 'x' }),
  })
}

function readRecorded(body: unknown): NeutralRequest {
  const request = parseResponsesRequest(byteTextOf(JSON.stringify(body)))
  if (isFault(request)) throw new Error(request.reason)
  const neutral = responses.readRequest(request)
  if (isFault(neutral)) throw new Error(neutral.reason)
  return neutral
}
