import { generate as generateWire } from '#wire/generate/wire.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { generate } from '#convert/generate/codec.ts'
import { readGenerateAnswer } from '#wire/generate/non-streaming-response.ts'
import { GenerateFrameReader } from '#wire/generate/frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { parseObject } from '#wire/text/json-values.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { isFault } from '#wire/wire-request.ts'
import { hasNoRecordings, recordingsOf } from '../support/read-recordings.ts'
import { aRequest } from '../fixtures/build-neutral-requests.ts'
import { sampledRuns } from '../support/number-of-property-runs.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const recordings = recordingsOf('generate').filter(({ status }) => status === 200)
const streams = recordings.filter(({ isStream }) => isStream)
const wholes = recordings.filter(({ isStream }) => !isStream)

interface Detail {
  readonly modality: string
  readonly tokenCount?: number
}

interface Frame {
  readonly modelVersion?: string
  readonly usageMetadata?: Report
}

interface Report {
  readonly promptTokenCount?: number
  readonly cachedContentTokenCount?: number
  readonly candidatesTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly toolUsePromptTokenCount?: number
  readonly promptTokensDetails?: readonly Detail[]
  readonly cacheTokensDetails?: readonly Detail[]
  readonly candidatesTokensDetails?: readonly Detail[]
  readonly serviceTier?: string
}

/** Independent of the product's code. */
function framesOf(bytes: string): Frame[] {
  return textOf(bytes)
    .split(/\r\n\r\n/)
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.slice('data: '.length)))
}

/** Independent of the product's code, by docs/reference/conversions.md "Usage in a common form". */
function oracle(raw: Report | undefined): object | null {
  if (raw?.promptTokenCount === undefined) return null
  const cached = raw.cachedContentTokenCount ?? 0
  const thoughts = raw.thoughtsTokenCount ?? 0
  const of = (details: readonly Detail[] | undefined, modality: string): number =>
    details?.find((detail) => detail.modality === modality)?.tokenCount ?? 0
  const cachedAudio = of(raw.cacheTokensDetails, 'AUDIO')
  const image = of(raw.promptTokensDetails, 'IMAGE') - of(raw.cacheTokensDetails, 'IMAGE')
  const audio = of(raw.promptTokensDetails, 'AUDIO') - cachedAudio
  return {
    input: raw.promptTokenCount - cached - image - audio + (raw.toolUsePromptTokenCount ?? 0),
    cacheRead: cached - cachedAudio,
    cacheWrite: 0,
    cacheWriteLong: 0,
    audioInput: audio,
    cacheReadAudio: cachedAudio,
    imageInput: image,
    output: (raw.candidatesTokenCount ?? 0) + thoughts,
    reasoning: thoughts,
    audioOutput: of(raw.candidatesTokensDetails, 'AUDIO'),
    imageOutput: of(raw.candidatesTokensDetails, 'IMAGE'),
    webSearches: 0,
    codeSessions: 0,
    fileSearches: 0,
    cacheTokenHours: 0,
    searchUnits: 0,
    images: 0,
    characters: 0,
    audioSeconds: 0,
    serviceTier: raw.serviceTier ?? null,
  }
}

function run(bytes: string, cuts: readonly number[], { isJsonArray = false, alias = 'acme/fast' } = {}) {
  const stream = new PassThroughStream(new GenerateFrameReader({ model: alias, isJsonArray, choices: 1 }))
  let body = ''
  let from = 0
  for (const cut of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    body += stream.push(bytes.slice(from, cut))
    from = cut
  }
  body += stream.end()
  return { stream, body, tail: stream.tail() }
}

const renamed = (bytes: string): string => bytes.replaceAll(/("modelVersion":\s*)"[^"]*"/g, '$1"acme/fast"')

describe.skipIf(hasNoRecordings)('recorded generateContent streams', () => {
  it('recorded generateContent streams exist', () => {
    expect(streams.length).toBeGreaterThanOrEqual(10)
    expect(wholes.length).toBeGreaterThanOrEqual(4)
  })

  it.each(streams)(
    '$name is forwarded byte for byte except for the model’s name, whether it arrives as a whole or in single bytes',
    ({ bytes }) => {
      for (const cuts of [[], Array.from({ length: bytes.length }, (_, at) => at)]) {
        const { stream, body, tail } = run(bytes, cuts)
        expect(body + tail).toBe(renamed(bytes))
        expect(stream).toMatchObject({ state: 'done', failure: null })
        expect(stream.usage).toEqual(
          oracle(framesOf(bytes).findLast((frame) => frame.usageMetadata)?.usageMetadata),
        )
        // The frame with the finish reason, and everything after this frame, is sent after the settlement.
        expect(tail).toContain('finishReason')
        expect(body).not.toContain('finishReason')
      }
    },
  )

  it.each(streams)('$name becomes a JSON array of the same frames', ({ bytes }) => {
    const { body, tail } = run(bytes, [7], { isJsonArray: true })
    expect(JSON.parse(textOf(body + tail))).toEqual(
      framesOf(bytes).map((frame) => ({
        ...frame,
        ...(frame.modelVersion && { modelVersion: 'acme/fast' }),
      })),
    )
  })

  it('the result of a recorded generateContent stream does not depend on the positions where the network divides it', () => {
    const pieces = fc.tuple(
      fc.nat(streams.length - 1),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }),
    )
    const once = streams.map(({ bytes }) => run(bytes, []))
    fc.assert(
      fc.property(pieces, ([which, at]) => {
        const bytes = streams[which]?.bytes ?? ''
        const cut = run(
          bytes,
          at.map((place) => Math.floor(place * bytes.length)),
        )
        expect(cut.body + cut.tail).toBe(`${once[which]?.body}${once[which]?.tail}`)
        expect(cut.tail).toBe(once[which]?.tail)
        expect(cut.stream.usage).toEqual(once[which]?.stream.usage)
        expect(cut.stream.outputTokens).toBe(once[which]?.stream.outputTokens)
      }),
      sampledRuns(5000),
    )
  })

  it('if recorded generateContent streams are cut before the finish, the client receives the beginning of the same answer', () => {
    for (const { bytes } of streams.filter((stream) => stream.bytes.length < 8192)) {
      const whole = renamed(bytes)
      for (let length = 0; length < bytes.indexOf('"finishReason"'); length++) {
        const { body, stream } = run(bytes.slice(0, length), [])
        expect([stream.state, whole.startsWith(body)], `cut at ${length}`).toEqual(['open', true])
      }
    }
  })

  it('recorded generateContent streams that are cut before the finish are incomplete, and charge at least the visible output', () => {
    const where = fc.tuple(fc.nat(streams.length - 1), fc.double({ min: 0, max: 1, noNaN: true }))
    fc.assert(
      fc.property(where, ([which, part]) => {
        const bytes = streams[which]?.bytes ?? ''
        const seen = bytes.slice(0, Math.floor(part * bytes.indexOf('"finishReason"')))
        const { stream, body } = run(seen, [])
        expect(stream.state).toBe('open')
        expect(renamed(bytes).startsWith(body)).toBe(true)
        // The last frame counts if it is complete, even without its line endings.
        const frames = bytes.split('\r\n\r\n').filter((frame, i, all) => {
          const end = all.slice(0, i + 1).join('\r\n\r\n').length
          return end <= seen.length && frame !== ''
        })
        const said = framesOf(frames.join('\r\n\r\n')).map(({ usageMetadata }) => usageMetadata)
        const last = said.findLast((report) => report)
        const isCounted = last?.candidatesTokenCount !== undefined || last?.thoughtsTokenCount !== undefined
        expect(stream.inputUsage).toEqual(oracle(last))
        // If the charge covered only the prompt count, the text that the client received would be free.
        expect(stream.usage).toEqual(isCounted || stream.textChunks === 0 ? oracle(last) : null)
      }),
      { numRuns: 1000 },
    )
  })
})

describe.skipIf(hasNoRecordings)('recorded generateContent answers', () => {
  it.each(wholes)('$name is forwarded unchanged except for the model’s name', ({ bytes }) => {
    const answer = readGenerateAnswer(bytes, 'acme/fast')
    expect(answer?.body).toBe(renamed(bytes))
    expect(answer?.usage).toEqual(oracle(JSON.parse(textOf(bytes)).usageMetadata))
  })
})

const path = { model: 'm', isStream: true, isJsonArray: false }
const requests = recordings.filter(({ requestBody }) => requestBody !== null)

describe.skipIf(hasNoRecordings)('recorded generateContent requests', () => {
  it('recorded generateContent requests exist', () => {
    expect(requests.length).toBeGreaterThanOrEqual(8)
  })

  it.each(requests)(
    '$name has the same meaning after the request was read, written and read again',
    ({ requestBody }) => {
      const neutralOf = (body: unknown) => {
        const parsed = generateWire.parseRequest(byteTextOf(JSON.stringify(body)), path)
        if (isFault(parsed)) throw new Error(parsed.reason)
        const read = generate.readRequest(parsed)
        if (isFault(read)) throw new Error(read.reason)
        return read
      }
      const first = neutralOf(requestBody)
      const target = {
        model: 'gemini-2.5-flash',
        outputTokensMax: first.outputTokensMax,
        outputTokensDefault: 1,
        origin: 'a',
        dialect: 'compatible',
      } as const
      expect(neutralOf(generate.writeRequest(first, target))).toEqual({ ...first, others: [] })
    },
  )
})

describe.skipIf(hasNoRecordings)('recorded generateContent answers as events', () => {
  const options = { origin: 'a', callIdPrefix: 'call_' }

  it.each(streams)('$name has the same content as a stream and as one response', ({ bytes }) => {
    const decoder = generate.decoder(options)
    const frames = textOf(bytes)
      .split('\r\n\r\n')
      .filter((frame) => frame !== '')
      .map((frame) => parseObject(frame.slice(6)) ?? {})
    const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
    // Writes the answer for a client and reads it again, as a stream and as a non-streaming response.
    const encoding = encoderOptions({
      alias: 'acme/fast',
      request: emptyRequest,
    })
    const usage = events.findLast((event) => event.kind === 'usage')?.usage
    if (!usage) throw new Error('no usage')
    const encoder = generate.encoder(encoding)
    const out = events.map((event) => encoder.write(event)).join('') + encoder.tail(usage)
    const again = generate.decoder({ ...options, origin: 'b' })
    const streamed = textOf(out)
      .split('\r\n\r\n')
      .filter((frame) => frame !== '')
      .flatMap((frame) => again.push(parseObject(frame.slice(6)) ?? {}))
    const whole = generate.decodeAnswer(generate.encodeAnswer(events, encoding), { ...options, origin: 'b' })
    expect(contentOf(streamed)).toEqual(contentOf(events))
    expect(contentOf(whole ?? [])).toEqual(contentOf(events))
    expect(streamed.findLast((event) => event.kind === 'usage')?.usage).toEqual(usage)
    expect(whole?.findLast((event) => event.kind === 'usage')?.usage).toEqual(usage)
  })
})

/** Texts of the same kind are joined. */
function contentOf(events: readonly NeutralEvent[]): object {
  const joined = (kind: 'text' | 'reasoning' | 'arguments'): string =>
    events.map((event) => (event.kind === kind ? event.text : '')).join('')
  return {
    text: joined('text'),
    reasoning: joined('reasoning'),
    arguments: joined('arguments'),
    rest: events.filter(({ kind }) => kind === 'signature' || kind === 'tool_call' || kind === 'finish'),
  }
}

const emptyRequest = aRequest({
  isStream: true,
  wantsUsage: true,
})
