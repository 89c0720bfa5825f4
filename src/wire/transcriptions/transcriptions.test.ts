import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { boundaryOf } from '#wire/text/form-parts.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { readTranscription } from './request.ts'
import { silence } from './silent-wav-file.ts'
import { transcriptions, translations } from './wire.ts'

const noPath = { model: null, isStream: false, isJsonArray: false }

type Fields = readonly (readonly [name: string, value: string | File])[]

function wav(seconds: number): Buffer {
  const head = Buffer.from(
    '524946460000000057415645666d74201000000001000100401f0000803e0000020010006461746100000000',
    'hex',
  )
  return Buffer.concat([head, Buffer.alloc(seconds * 16_000 - head.length)])
}

const fileOf = (bytes: Uint8Array, name: string): File => new File([new Uint8Array(bytes)], name)
const usual: Fields = [
  ['file', fileOf(wav(60), 'talk.wav')],
  ['model', 'acme/ears'],
]

async function written(fields: Fields): Promise<{ text: ByteText; boundary: string }> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  const response = new Response(form)
  const boundary = boundaryOf(response.headers.get('content-type') ?? '') ?? ''
  return { text: Buffer.from(await response.arrayBuffer()).toString('latin1'), boundary }
}

async function parsed(fields: Fields) {
  const { boundary, text } = await written(fields)
  return transcriptions.parseRequest(text, { ...noPath, boundary })
}

async function read(fields: Fields): Promise<WireRequest> {
  const request = await parsed(fields)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

describe('a request for a transcript', () => {
  it('the hold of a transcription depends on the seconds of its file', async () => {
    expect(await read(usual)).toMatchObject({
      wire: 'transcriptions',
      isStream: false,
      audioTokensMax: 60 * 32 + 16,
      uses: { audioSeconds: 60, output: 2_000 + 60 * 32 },
      usualUses: { audioSeconds: 60 },
      mediaEstimate: 600,
    })
  })

  it.each([
    ['an unknown format', fileOf(Buffer.alloc(320_000, 'x'), 'a.webm')],
    ['another format than its name', fileOf(Buffer.concat([wav(10), Buffer.alloc(160_000)]), 'a.mp3')],
  ])(
    'if the length of a file of %s is unknown, the hold and the charge are based on its bytes',
    async (_, file) => {
      const request = await read([...usual.slice(1), ['file', file]])
      expect(request.uses?.audioSeconds).toBe(10_000)
      expect(request.usualUses?.audioSeconds).toBe(80)
      expect(request.audioTokensMax).toBe(320_016)
    },
  )

  it.each(['a', 'talk.wave', 'TALK.WAV'])('a WAV file with the name %s is read', async (name) => {
    const request = await read([...usual.slice(1), ['file', fileOf(wav(10), name)]])
    expect(request.uses?.audioSeconds).toBe(10)
  })

  it('the voice samples of known speakers count as sound, and the prompt counts as text', async () => {
    const speaker = `data:audio/wav;base64,${wav(5).toString('base64')}`
    const plain = await read(usual)
    const request = await read([
      ...usual,
      ['known_speaker_names[]', 'a'],
      ['known_speaker_references[]', speaker],
      ['known_speaker_names[]', 'b'],
      ['known_speaker_references[]', speaker],
      ['prompt', 'x'.repeat(100)],
    ])
    const added = request.audioTokensMax - plain.audioTokensMax
    expect(added).toBeGreaterThanOrEqual(2 * (5 * 32 + 16))
    // The prefix of the data URL adds fewer than four tokens.
    expect(added).toBeLessThan(2 * (5 * 32 + 16) + 4)
    expect(request.textTokensMax - plain.textTokensMax).toBeLessThan(120)
    expect(request.textTokensMax - plain.textTokensMax).toBeGreaterThanOrEqual(100)
  })

  it.each([
    [[], undefined],
    [[['response_format', 'verbose_json']], undefined],
    [[['response_format', 'srt']], 'text/plain; charset=utf-8'],
    [
      [
        ['response_format', 'text'],
        ['stream', 'true'],
      ],
      undefined,
    ],
  ] as const)('a request for a transcript with %j has a response of type %s', async (more, type) => {
    expect((await read([...usual, ...more])).responseType).toBe(type)
  })

  it('a request for a transcript is sent with the model of the target, without svc, and otherwise unchanged', async () => {
    const { boundary, text } = await written([['svc', '{"report":true}'], ...usual, ['x', '1']])
    const request = transcriptions.parseRequest(text, { ...noPath, boundary })
    if (isFault(request)) throw new Error(request.reason)
    const to = text.indexOf(`--${boundary}`, 2)
    expect(upstreamBody(request, 'whisper-1', null)).toBe(text.slice(to).replace('acme/ears', 'whisper-1'))
    expect(request).toMatchObject({
      wantsReport: true,
      contentType: `multipart/form-data; boundary=${boundary}`,
    })
  })

  it.each<[string, Fields]>([
    ['file', [['model', 'a']]],
    ['file', [...usual, ['file', fileOf(wav(1), 'b.wav')]]],
    [
      'file',
      [
        ['model', 'a'],
        ['file', 'https://example.com/a.wav'],
      ],
    ],
    ['url', [...usual, ['url', 'https://example.com/a.wav']]],
    [
      'file_id',
      [
        ['model', 'a'],
        ['file_id', 'f_1'],
      ],
    ],
    ['model', usual.slice(0, 1)],
    ['stream', [...usual, ['stream', '1']]],
    ['prompt', [...usual, ['prompt', 'a'], ['prompt', 'b']]],
    ['base_url', [...usual, ['base_url', 'https://example.com']]],
  ])('a request for a transcript is rejected for its %s', async (param, fields) => {
    expect(await parsed(fields)).toMatchObject({ kind: 'fault', param })
  })

  it('a large request for a transcript gives the same result in several steps as in one step', async () => {
    const frame = Buffer.concat([Buffer.from([0xff, 0xf3, 0x84, 0xc4]), Buffer.alloc(188)])
    const mp3 = Buffer.concat(Array.from({ length: 20_000 }, () => frame))
    const { boundary, text } = await written([...usual.slice(1), ['file', fileOf(mp3, 'talk.mp3')]])
    const path = { ...noPath, boundary }
    const steps = readTranscription('transcriptions', text, path)
    let pauses = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) pauses++
    expect(pauses).toBe(3)
    expect(step.value).toEqual(transcriptions.parseRequest(text, path))
    expect(step.value).toMatchObject({ uses: { audioSeconds: 480 } })
  })

  it('a preview of a route, which contains no file, is read like a form with a short silence', () => {
    const request = translations.parseRequest('{"model":"acme/ears","language":"de","stream":false}', noPath)
    expect(request).toMatchObject({ wire: 'translations', model: 'acme/ears', uses: { audioSeconds: 1 } })
    expect(silence).toHaveLength(2_044)
  })

  const seed = seedOfRun()
  it(`parsing mutated requests never throws, and accepted ones change only in the model (seed ${seed})`, async () => {
    const random = randomFrom(seed)
    const short: Fields = [
      ['file', fileOf(wav(1).subarray(0, 400), 'a.wav')],
      ['model', 'acme/ears'],
    ]
    const { boundary, text } = await written([...short, ['svc', '{}'], ['include[]', 'logprobs']])
    for (let run = 0; run < 3_000; run++) {
      const at = random.whole(0, text.length)
      const piece = random.pick(['', '\r\n', '--', `--${boundary}`, '"', 'name="model"', '\0', '[]'])
      const mutated = text.slice(0, at) + piece + text.slice(at + random.whole(0, 9))
      const request = transcriptions.parseRequest(mutated, { ...noPath, boundary })
      if (isFault(request)) continue
      const again = transcriptions.parseRequest(upstreamBody(request, 'whisper-1', null), {
        ...noPath,
        boundary,
      })
      expect(isFault(again) ? again : again.model).toBe('whisper-1')
    }
  })
})

describe('a transcript', () => {
  const answerTo = async (body: object | string, more: Fields = []) =>
    transcriptions.readAnswer(
      typeof body === 'string' ? body : byteTextOf(JSON.stringify(body)),
      await read([...usual, ...more]),
    )

  it.each([
    [
      'tokens',
      {
        text: 'a',
        usage: {
          type: 'tokens',
          input_tokens: 610,
          input_token_details: { audio_tokens: 600, text_tokens: 10 },
          output_tokens: 7,
          total_tokens: 617,
        },
      },
      { input: 10, audioInput: 600, output: 7 },
    ],
    [
      'tokens without details',
      { text: 'a', usage: { type: 'tokens', input_tokens: 610, output_tokens: 7, total_tokens: 617 } },
      { input: 0, audioInput: 610, output: 7 },
    ],
    [
      "Mistral's tokens and seconds",
      {
        text: 'a',
        usage: { prompt_audio_seconds: 203, prompt_tokens: 4, completion_tokens: 635, total_tokens: 3_264 },
      },
      { input: 4, audioInput: 2_625, output: 635, audioSeconds: 203 },
    ],
    [
      'seconds',
      { text: 'a', usage: { type: 'duration', seconds: 58.2 } },
      { audioSeconds: 59, lacks: 'input' },
    ],
    ['a duration', { duration: 8.47, text: 'a' }, { audioSeconds: 9, lacks: 'input' }],
    [
      'a usage after a duration',
      { duration: 9.5, text: 'a', usage: { type: 'duration', seconds: 9 } },
      { audioSeconds: 9 },
    ],
  ])('the reported usage is read from %s', async (_, body, usage) => {
    const answer = await answerTo(body)
    expect(answer).toMatchObject({ hasReportedUsage: true, usage })
    expect(answer?.body).toBe(JSON.stringify(body))
  })

  it.each([
    ['{"text":"Né en été"}', []],
    ['Né en été\n', [['response_format', 'text']]],
    ['1\n00:00:00,000 --> 00:00:01,000\n{curly}\n', [['response_format', 'srt']]],
    ['', [['response_format', 'text']]],
  ] as const)(
    'for the response %j without a usage, the length of the sound is charged',
    async (body, more) => {
      const text = byteTextOf(body)
      const answer = await answerTo(text, more)
      expect(answer).toMatchObject({
        hasReportedUsage: false,
        hasNoOutput: true,
        body: text,
        usage: { audioSeconds: 60, audioInput: 600, lacks: 'input' },
      })
    },
  )

  it.each([
    ['{"error":{"message":"no"}}', []],
    ['{"text":"a"', []],
    ['{"text":5}', []],
    ['<html></html>', []],
    ['<html></html>', [['response_format', 'text']]],
    ['{"error":{"message":"no"}}', [['response_format', 'vtt']]],
  ] as const)('a transcript is not %s', async (body, more) => {
    expect(await answerTo(body, more)).toBeNull()
  })

  it('an impossible usage of a transcript is not accepted', async () => {
    const body = { text: 'a', usage: { type: 'tokens', input_tokens: -1, output_tokens: 1 } }
    expect(await answerTo(body)).toMatchObject({ hasReportedUsage: true, usage: null })
  })
})

describe('a stream', () => {
  const play = async (...events: object[]) => {
    const stream = transcriptions.openStream(await read([...usual, ['stream', 'true']]))
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    const out = stream.push(byteTextOf(text)) + stream.end()
    return { stream, text, out }
  }
  const delta = { type: 'transcript.text.delta', delta: 'Hello there. ' }
  const usage = { type: 'tokens', input_tokens: 600, output_tokens: 4, total_tokens: 604 }

  it('a stream of a transcript is forwarded unchanged, and its end is withheld', async () => {
    const done = { type: 'transcript.text.done', text: 'Hello there. ', usage }
    const { out, stream, text } = await play(delta, done)
    expect(text.startsWith(out) && out.length < text.length).toBe(true)
    expect(out + stream.tail({} as never)).toBe(text)
    expect(stream).toMatchObject({ state: 'done', hasDelivered: true, outputTokens: 0 })
    expect(stream.usage).toMatchObject({ audioInput: 600, output: 4 })
  })

  it('a stream without a usage counts the sound and each text once', async () => {
    const segment = { type: 'transcript.text.segment', text: 'Hello there. ', id: 's', start: 0, end: 1 }
    const { stream } = await play(delta, segment, { type: 'transcript.text.done', text: 'Hello there. ' })
    expect(stream.usage).toMatchObject({ audioInput: 600, audioSeconds: 60, output: 5, lacks: 'input' })
    expect(stream.hasReportedUsage).toBe(false)
  })

  it.each([
    [{ error: { message: 'no' } }, 'failed'],
    [{ type: 'error', message: 'no' }, 'failed'],
    [delta, 'open'],
  ])('a stream that ends with %j is %s', async (last, state) => {
    expect((await play(delta, last)).stream.state).toBe(state)
  })
})
