import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { ConvertedStream } from '#convert/converted-stream.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { decodeMessagesAnswer, messagesDecoder } from '#convert/messages/answer-decoder.ts'
import { encodeMessagesAnswer, messagesEncoder } from '#convert/messages/answer-encoder.ts'
import { decoding, encoding } from '../fixtures/requests-for-messages-wire-tests.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { readMessagesResponse } from '#wire/messages/non-streaming-response.ts'
import { MessagesFrameReader } from '#wire/messages/frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { hasNoRecordings, recordingsOf, type Recording } from '../support/read-recordings.ts'
import { sampledRuns } from '../support/number-of-property-runs.ts'

const alias = 'acme/claude'
const streams = recordingsOf('messages').filter(({ isStream }) => isStream)
const wholes = recordingsOf('messages').filter(({ isStream }) => !isStream)

function replay(pieces: readonly ByteText[]): {
  body: ByteText
  usage: unknown
  output: number
  state: string
} {
  const stream = new PassThroughStream(new MessagesFrameReader(alias))
  let body = ''
  for (const piece of pieces) body += stream.push(piece)
  body += stream.end()
  if (stream.state === 'done') body += stream.tail()
  return { body, usage: stream.usage, output: stream.outputTokens, state: stream.state }
}

function cutAt(bytes: ByteText, cuts: readonly number[]): ByteText[] {
  const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
  return places.slice(1).map((place, i) => bytes.slice(places[i], place))
}

/** Independent of the product's code: parsed only by JSON.parse. */
function framesOf({ bytes }: Recording): unknown[] {
  return [
    ...Buffer.from(bytes, 'latin1')
      .toString('utf8')
      .matchAll(/^data: (.*)$/gm),
  ].map(([, data]) => JSON.parse(data ?? ''))
}

function inside(value: unknown, ...path: readonly string[]): unknown {
  const [name, ...rest] = path
  if (name === undefined || typeof value !== 'object' || value === null) return value
  return inside(new Map<string, unknown>(Object.entries(value)).get(name), ...rest)
}

/** By docs/reference/conversions.md "Usage in a common form": the last value of each field, and no sums over frames. */
function oracle(usages: readonly unknown[]): object {
  const last = (...path: readonly string[]): unknown =>
    usages.map((usage) => inside(usage, ...path)).findLast((value) => value !== undefined && value !== null)
  const long = Number(last('cache_creation', 'ephemeral_1h_input_tokens') ?? 0)
  return {
    input: last('input_tokens'),
    cacheRead: last('cache_read_input_tokens') ?? 0,
    cacheWrite: Number(last('cache_creation_input_tokens') ?? 0) - long,
    cacheWriteLong: long,
    audioInput: 0,
    cacheReadAudio: 0,
    imageInput: 0,
    output: last('output_tokens'),
    reasoning: last('output_tokens_details', 'thinking_tokens') ?? 0,
    audioOutput: 0,
    imageOutput: 0,
    webSearches: last('server_tool_use', 'web_search_requests') ?? 0,
    codeSessions: 0,
    fileSearches: 0,
    cacheTokenHours: 0,
    searchUnits: 0,
    images: 0,
    characters: 0,
    audioSeconds: 0,
    serviceTier: last('service_tier') ?? null,
  }
}

/** Finds the model name by the surrounding text. */
function renamed(bytes: ByteText, model: string): ByteText {
  return bytes.replaceAll(
    new RegExp(`("(?:recommended_)?model":\\s*)"${model}"`, 'g'),
    (_, key: string) => `${key}${byteTextOf(JSON.stringify(alias))}`,
  )
}

describe.skipIf(hasNoRecordings)('recorded messages streams', () => {
  it.each(streams)(
    '$name: the stream is forwarded completely, with unchanged frames and bytes except for the model',
    (recording) => {
      const frames = framesOf(recording)
      const model = String(inside(frames[0], 'message', 'model'))
      const wanted = {
        body: renamed(recording.bytes, model),
        usage: oracle(frames.flatMap((frame) => [inside(frame, 'message', 'usage'), inside(frame, 'usage')])),
        state: 'done',
      }
      const byFrames = recording.bytes.split(/(?<=\n\n)/)
      expect(byFrames.length).toBe(frames.length)
      const whole = replay([recording.bytes])
      expect(whole).toMatchObject(wanted)
      expect(whole.body).not.toContain(model)
      expect(replay(byFrames)).toEqual(whole)
      expect(replay(recording.bytes.split(''))).toEqual(whole)
    },
  )

  it('recorded messages streams are forwarded correctly for 5,000 divisions into pieces, even within characters', () => {
    const once = new Map(streams.map((recording) => [recording, replay([recording.bytes])]))
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.array(fc.nat(20_000), { maxLength: 40 }),
        fc.boolean(),
        (recording, cuts, isAtCharacters) => {
          const { bytes } = recording
          const inCharacters = [...bytes.matchAll(/[\x80-\xbf]/g)].map(({ index }) => index)
          const places = cuts.map((cut) =>
            isAtCharacters && inCharacters.length > 0
              ? (inCharacters[cut % inCharacters.length] ?? 0)
              : cut % bytes.length,
          )
          expect(replay(cutAt(bytes, places))).toEqual(once.get(recording))
        },
      ),
      sampledRuns(5000),
    )
  })

  it('recorded messages streams are forwarded correctly in pieces of 1 to 7 bytes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 3, maxLength: 50 }),
        ({ bytes }, sizes) => {
          const pieces: ByteText[] = []
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = sizes[i % sizes.length] ?? 1
            pieces.push(bytes.slice(at, at + size))
            at += size
          }
          expect(replay(pieces)).toEqual(replay([bytes]))
        },
      ),
      { numRuns: 100 },
    )
  })

  it('a recorded messages stream that was cut never ends as complete, and returns only the received part', () => {
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.nat(20_000), (recording, at) => {
        const { bytes } = recording
        // The answer is complete after the frame with the stop reason.
        const whole = bytes.indexOf('\n\n', bytes.indexOf('event: message_delta'))
        const cut = at % whole
        const { body, state, usage } = replay([bytes.slice(0, cut)])
        expect(['open', 'broken']).toContain(state)
        expect(usage).toBeNull()
        // An event that lacks only its empty line is sent when that line arrives.
        expect(replay([bytes]).body.startsWith(body.trimEnd())).toBe(true)
      }),
      sampledRuns(2000),
    )
  })

  it.each(streams)(
    '$name: if the stream stalls, the received part is sent immediately, and the rest later',
    ({ bytes }) => {
      const stream = new PassThroughStream(new MessagesFrameReader(alias))
      const half = bytes.indexOf('\n\n', Math.floor(bytes.length / 2)) + 2
      const before = stream.push(bytes.slice(0, half))
      expect(stream.state).toBe('open')
      const after = stream.push(bytes.slice(half)) + stream.end() + stream.tail()
      expect(before + after).toBe(replay([bytes]).body)
    },
  )
})

describe.skipIf(hasNoRecordings)('recorded messages answers', () => {
  it.each(wholes)('$name: the answer is forwarded unchanged, except for the model', ({ bytes }) => {
    const body: unknown = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'))
    const answer = readMessagesResponse(bytes, alias)
    expect(answer?.body).toBe(renamed(bytes, String(inside(body, 'model'))))
    expect(answer).toMatchObject({ usage: oracle([inside(body, 'usage')]), hasReportedUsage: true })
    expect(answer?.outputTokens).toBe(inside(body, 'usage', 'output_tokens'))
  })
})

describe.skipIf(hasNoRecordings)('decoded recordings of the messages wire', () => {
  const decoded = (frames: readonly unknown[]): NeutralEvent[] => {
    const decoder = messagesDecoder(decoding)
    return frames.flatMap((frame) => decoder.push(parseObject(JSON.stringify(frame)) ?? {}))
  }
  /** The gateway generates the ID of the start event. */
  const told = (events: readonly NeutralEvent[]): NeutralEvent[] =>
    events.filter(({ kind }) => kind !== 'start' && kind !== 'lost')

  it.each(streams)(
    '$name: the decoded answer has the same content as the recording, with its usage',
    (recording) => {
      const frames = framesOf(recording)
      const events = decoded(frames)
      const texts = (kind: string): string =>
        events.map((event) => (event.kind === kind && 'text' in event ? event.text : '')).join('')
      const deltas = (name: string): string =>
        frames
          .map((frame) => inside(frame, 'delta', name))
          .filter((text) => typeof text === 'string')
          .join('')
      expect(texts('text')).toBe(deltas('text'))
      expect(texts('reasoning')).toBe(deltas('thinking'))
      const usages = frames.flatMap((frame) => [inside(frame, 'message', 'usage'), inside(frame, 'usage')])
      expect(events).toContainEqual({ kind: 'usage', usage: oracle(usages) })
      expect(events.at(-1)).toMatchObject({ kind: 'finish' })
    },
  )

  it.each(streams)('$name: the decoded stream is the same after encoding and decoding', (recording) => {
    const events = decoded(framesOf(recording))
    const encoder = messagesEncoder(encoding)
    let bytes = events.map((event) => encoder.write(event)).join('')
    const used = events.findLast((event) => event.kind === 'usage')?.usage
    if (!used) throw new Error('no usage')
    bytes += encoder.tail(used)
    const again = decoded(framesOf({ ...recording, bytes }))
    // The comparison excludes the provider's service tier, and shows explanations of a refusal as text.
    const plain = (list: readonly NeutralEvent[]): unknown[] =>
      told(list).map((event) =>
        event.kind === 'usage'
          ? { ...event.usage, serviceTier: null }
          : event.kind === 'refusal'
            ? { ...event, kind: 'text' }
            : event,
      )
    const finishes = (list: readonly NeutralEvent[]): unknown[] =>
      list.filter(({ kind }) => kind === 'finish')
    expect(finishes(again)).toEqual(finishes(events))
    expect(plain(again)).toEqual(plain(events))
  })

  it.each(wholes)('$name: the decoded answer is the same after encoding and decoding', ({ bytes }) => {
    const body = parseObject(Buffer.from(bytes, 'latin1').toString('utf8'))
    const events = told(decodeMessagesAnswer(body ?? {}, decoding) ?? [])
    const again = encodeMessagesAnswer(events, encoding)
    const kept = (value: unknown): unknown =>
      (Array.isArray(value) ? value : []).map((block: object) => ({ ...block, caller: undefined }))
    if (inside(body, 'stop_reason') !== 'refusal') expect(kept(again.content)).toEqual(kept(body?.content))
    expect(again.stop_reason).toBe(body?.stop_reason)
    expect(oracle([again.usage])).toEqual({ ...oracle([body?.usage]), serviceTier: null })
  })

  it('converted messages streams do not depend on the boundaries of network chunks', () => {
    const convert = (pieces: readonly ByteText[]): unknown => {
      const stream = new ConvertedStream(messagesDecoder(decoding), messagesEncoder(encoding), null, 1)
      let body = ''
      for (const piece of pieces) body += stream.push(piece)
      body += stream.end()
      return { body, state: stream.state, usage: stream.usage, output: stream.outputTokens }
    }
    const once = new Map(streams.map((recording) => [recording, convert([recording.bytes])]))
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.array(fc.nat(20_000), { maxLength: 30 }),
        (recording, cuts) => {
          const places = cuts.map((cut) => cut % recording.bytes.length)
          expect(convert(cutAt(recording.bytes, places))).toEqual(once.get(recording))
        },
      ),
      { numRuns: 500 },
    )
    for (const [, converted] of once) expect(converted).toMatchObject({ state: 'done' })
  })
})
