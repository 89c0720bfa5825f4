import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { script } from '#simulator/steps-of-simulated-provider.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { SoundStream } from './sound-stream.ts'
import { speechTokensMax } from './speech-tokens.ts'
import { SpokenLength } from './spoken-length.ts'
import { speech } from './wire.ts'

const noPath = { model: null, isStream: false, isJsonArray: false }
const usual = { model: 'acme/voice', input: 'Hello there.', voice: 'alloy' }

function parsed(body: object) {
  return speech.parseRequest(byteTextOf(JSON.stringify(body)), noPath)
}

function read(body: object): WireRequest {
  const request = parsed(body)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

function piecesOf(body: object): Buffer[] {
  const steps = script({
    wire: 'speech',
    model: '',
    isStream: false,
    purpose: 'answer',
    callId: '01',
    createdSeconds: 1,
    body: Buffer.from(JSON.stringify({ ...usual, model: 'gpt-4o-mini-tts', ...body })),
  })
  return [...steps].flatMap((step) => (step.kind === 'bytes' ? [Buffer.from(step.bytes)] : []))
}

describe('a request for speech', () => {
  it.each([
    ['Hello there.', 12],
    ['né en été', 9],
    ['𝄞 and 🎉', 7],
    ['line\n"quote"', 12],
  ])('a request for speech with the text %j has %i characters', (input, characters) => {
    expect(read({ ...usual, input }).uses?.characters).toBe(characters)
  })

  it.each([
    [{}, 'audio/mpeg'],
    [{ response_format: 'wav' }, 'audio/wav'],
    [{ response_format: 'opus', stream_format: 'audio' }, 'audio/ogg'],
    [{ response_format: 'g711' }, 'application/octet-stream'],
    [{ stream_format: 'sse' }, undefined],
  ])('a request with %j has a response of type %s', (more, type) => {
    expect(read({ ...usual, ...more }).responseType).toBe(type)
  })

  it('a request for speech is sent with the target’s model, without `svc`, and otherwise unchanged', () => {
    const text =
      '{"voice":{"id":"v_1"}, "svc":{"session":"s"},"model":"acme/voice","input":"A\\u00e9","speed":1.0}'
    const request = speech.parseRequest(text, noPath)
    if (isFault(request)) throw new Error(request.reason)
    expect(upstreamBody(request, 'tts-1', null)).toBe(
      '{"voice":{"id":"v_1"}, "model":"tts-1","input":"A\\u00e9","speed":1.0}',
    )
    expect(request.session).toBe('s')
  })

  it.each([
    [{ model: 'acme/voice' }, 'input'],
    [{ ...usual, input: ['a'] }, 'input'],
    [{ ...usual, speed: 0 }, 'speed'],
    [{ ...usual, speed: 'slow' }, 'speed'],
    [{ ...usual, model: 5 }, 'model'],
    [{ ...usual, base_url: 'https://other.example' }, 'base_url'],
  ])('the speech request %j is rejected with an error for the field %s', (body, param) => {
    expect(parsed(body)).toMatchObject({ kind: 'fault', param })
  })
})

describe('the tokens of speech', () => {
  it.each([
    // The speech for a Chinese text of 119,512 input tokens had 756,986 audio tokens. Each input token has at least two
    // bytes.
    [2 * 119_512, 756_986],
    // English text that is spoken at 15 characters per second.
    [15 * 60, 1_250],
    // A spoken digit takes 0.4 seconds.
    [60, Math.ceil(24 * 20.84)],
  ])('the bound for %i bytes is more than %i tokens', (textBytes, tokens) => {
    expect(speechTokensMax({ textBytes, speed: 1, isInstructed: false })).toBeGreaterThan(tokens)
  })

  it('the tokens of speech increase for a slow voice, and do not decrease for a fast voice', () => {
    const at = (speed: number, isInstructed = false) =>
      speechTokensMax({ textBytes: 100, speed, isInstructed })
    expect([at(1), at(4), at(0.25), at(1, true)]).toEqual([1_312, 1_312, 5_248, 2_624])
  })

  it.each([
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm'],
  ])('the tokens of %s speech are counted by its length, and are within the bound', (format, type) => {
    const length = new SpokenLength(type)
    const input = 'Hello there. '.repeat(300)
    for (const piece of piecesOf({ input, response_format: format })) length.add(piece.toString('latin1'))
    // The simulated vendor generates 1,250 tokens per minute, and each character takes 0.06 seconds.
    const tokens = Math.ceil((input.length * 0.06 * 1_250) / 60)
    expect(Math.abs(length.tokens - tokens)).toBeLessThanOrEqual(2)
    expect(length.tokens).toBeLessThan(read({ ...usual, input }).uses?.audioOutput ?? 0)
  })

  it('speech of an unknown format is counted by its bytes', () => {
    const length = new SpokenLength('application/octet-stream')
    length.add('\0'.repeat(160_000))
    expect(length.tokens).toBe(Math.ceil((10 * 1_250) / 60))
  })
})

describe('a stream of speech', () => {
  const seed = seedOfRun()
  it(`all bytes are forwarded in order, and the last bytes only after the request is settled (seed ${seed})`, () => {
    const random = randomFrom(seed)
    for (let run = 0; run < 200; run++) {
      const stream = new SoundStream(read(usual))
      let sent = ''
      let passed = ''
      for (let piece = 0; piece <= run % 7; piece++) {
        const bytes = Array.from({ length: random.whole(1, 200) }, () =>
          String.fromCharCode(random.whole(0, 255)),
        ).join('')
        sent += bytes
        passed += stream.push(bytes)
        expect(passed.length).toBe(Math.max(0, sent.length - 64))
      }
      passed += stream.end()
      expect(stream.state).toBe('done')
      expect(passed + stream.tail()).toBe(sent)
    }
  })

  it('a stream without any byte is not complete', () => {
    const stream = new SoundStream(read(usual))
    stream.end()
    expect([stream.state, stream.usage]).toEqual(['open', null])
  })

  it('the usage of a stream states characters and sound, but no input tokens', () => {
    const stream = new SoundStream(read({ ...usual, response_format: 'pcm' }))
    stream.push('\0'.repeat(48_000))
    expect(stream.usage).toMatchObject({ characters: 12, output: 21, audioOutput: 21, lacks: 'input' })
  })
})

describe('a stream of events', () => {
  const play = (input: string) => {
    const stream = speech.openStream(read({ ...usual, input, stream_format: 'sse' }))
    const pieces = piecesOf({ input, stream_format: 'sse' }).map((piece) =>
      stream.push(piece.toString('latin1')),
    )
    return { stream, text: pieces.join('') + stream.end() + stream.tail({} as never) }
  }

  it('a stream of events is forwarded unchanged, and the reported usage is used', () => {
    const { stream, text } = play('Hello there.')
    expect(text).toBe(piecesOf({ stream_format: 'sse' }).join(''))
    expect(stream).toMatchObject({ state: 'done', hasReportedUsage: true, outputTokens: 0 })
    expect(stream.usage).toMatchObject({ characters: 12, input: 3, output: 15, audioOutput: 15 })
    expect(stream.usage).not.toHaveProperty('lacks')
  })

  it('in a stream of events without a usage, the sound is counted', () => {
    const { stream } = play('[[no-usage]] Hello there.')
    expect(stream).toMatchObject({ state: 'done', hasReportedUsage: false })
    expect(stream.usage).toMatchObject({ characters: 25, output: 32, audioOutput: 32, lacks: 'input' })
  })

  it('a stream of events without its last event is not complete', () => {
    const stream = speech.openStream(read({ ...usual, stream_format: 'sse' }))
    stream.push('data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n')
    stream.end()
    expect([stream.state, stream.hasDelivered]).toEqual(['open', true])
  })

  it.each([
    ['{"error":{"message":"no","code":"bad_voice"}}', 'failed'],
    ['not json', 'broken'],
  ])('a stream of events with %s is %s', (data, state) => {
    const stream = speech.openStream(read({ ...usual, stream_format: 'sse' }))
    stream.push('data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n')
    stream.push(`data: ${data}\n\n`)
    stream.end()
    expect(stream.state).toBe(state)
  })
})

it.each([['{"error":{}}'], ['<html>'], ['']])('the response %j is not accepted as speech', (body) => {
  expect(speech.readAnswer(body, read(usual))).toBeNull()
})
