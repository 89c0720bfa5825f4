import { cluster, mp4, webm } from '#tests/fixtures/build-video-files.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type RequestPath, type WireRequest } from '#wire/wire-request.ts'
import { generateCountAnswer, parseGenerateCount, readGenerateCount } from './count-tokens.ts'
import { parseGenerateRequest } from './parse-request.ts'

const path: RequestPath = { model: 'acme/fast', isStream: false, isJsonArray: false }

function request(body: unknown, parse = parseGenerateRequest): WireRequest {
  const answer = parse(byteTextOf(typeof body === 'string' ? body : JSON.stringify(body)), path)
  if (isFault(answer)) throw new Error(`${answer.code} ${answer.param}: ${answer.reason}`)
  return answer
}

function refused(body: unknown, parse = parseGenerateRequest): string {
  const answer = parse(byteTextOf(typeof body === 'string' ? body : JSON.stringify(body)), path)
  if (!isFault(answer)) throw new Error('it was accepted')
  return `${answer.code} ${answer.param}`
}

const hello = [{ role: 'user', parts: [{ text: 'hello' }] }]
const withPart = (part: unknown): unknown => ({ contents: [{ role: 'user', parts: [part] }] })
const video = { mimeType: 'video/mp4', data: mp4({ units: 10_000 }).toString('base64') }

/** Addresses that Google reads with the rights of the provider account, and addresses with other schemes. */
const googleAddresses = [
  'gs://bucket',
  'HTTPS://user@GenerativeLanguage.GoogleAPIs.com:443/v1beta/files/a',
  'https://generativelanguage.googleapis.com./v1beta/files/a',
  'https://us-central1-aiplatform.googleapis.com/v1/a',
  'https://storage.googleapis.com.googleapis.com/a',
  'https://drive.google.com/file/d/a',
  'https://generativelanguage.googleapis.com/v1beta/files/a/b',
  'files/',
  'ftp://example.com/a.mp4',
]

describe('parseGenerateRequest', () => {
  it.each([
    ['https://example.com/a.pdf', 'application/pdf', 'document'],
    ['https://example.com/a.txt', 'text/plain; charset=utf-8', 'document'],
    ['http://example.com/a.mp3', 'audio/mpeg', 'any'],
    ['https://storage.googleapis.com/public/a.mp4', 'video/mp4', 'any'],
    ['https://example.com/a', undefined, 'any'],
    ['https://www.youtube.com/watch?v=a', 'application/pdf', 'any'],
    ['https://youtu.be/a', 'image/png', 'any'],
  ])('the file at %s of type %s is fetched and may contain %s media', (fileUri, mimeType, medium) => {
    const part = { fileData: { fileUri, mimeType }, videoMetadata: { fps: 24 } }
    expect(request(withPart(part)).fetched).toBe(medium)
    const result = {
      functionResponse: { name: 'f', response: {}, parts: [{ file_data: { file_uri: fileUri } }] },
    }
    expect(request(withPart(result)).fetched).toBe('any')
  })

  it.each([
    [['TEXT', 'IMAGE'], true],
    ['image', true],
    [['TEXT'], false],
    [undefined, null],
  ])('whether the modalities %j request images: %s', (responseModalities, expected) => {
    const config = { responseModalities }
    const { asksForAudio, asksForImages } = request({ contents: hello, generationConfig: config })
    expect([asksForAudio, asksForImages]).toEqual([expected === null ? null : false, expected])
  })

  it.each(['files/a', 'https://generativelanguage.googleapis.com/v1beta/files/a'])(
    'the file at %s is read as a file stored at Google, with the medium and the frame rate that the request states',
    (fileUri) => {
      const part = { fileData: { fileUri, mimeType: 'Video/MP4' }, videoMetadata: { fps: 3 } }
      const { fetched, files } = request({ contents: { parts: part } })
      expect(fetched).toBeUndefined()
      expect(files).toMatchObject([{ id: 'a', medium: 'video', framesPerSecond: 3 }])
    },
  )

  it('an image at an address counts as an image of unknown size', () => {
    const { fetched, images } = request(
      withPart({ fileData: { fileUri: 'https://example.com/a.png', mimeType: 'image/png' } }),
    )
    expect([fetched, images?.google]).toEqual([undefined, 16_000])
  })

  it('video settings in a separate part are accepted if they can only shorten the video', () => {
    const settings = { videoMetadata: { startOffset: '2s', endOffset: '10s', fps: 0.2 } }
    const address = { fileData: { fileUri: 'https://youtu.be/a' } }
    expect(request({ contents: { parts: [address, settings] } }).fetched).toBe('any')
  })

  it('the hold counts a quarter of the bytes of a thought signature, but all bytes of a text that is not a signature', () => {
    const held = (part: object): number =>
      request({ contents: [{ role: 'model', parts: [part] }] }).textTokensMax
    for (const name of ['thoughtSignature', 'thought_signature'])
      for (const part of [{ text: 'Hi' }, { functionCall: { name: 'f', args: {} } }]) {
        const bytesOf = (text: string): number =>
          held({ ...part, [name]: text }) - held({ ...part, [name]: '' })
        expect(bytesOf('Ab+/=-_0'.repeat(500))).toBe(1_000)
        expect(bytesOf('12 34 56 78'.repeat(100))).toBeGreaterThan(1_050)
      }
  })

  it('the tokens of thought signatures are also stated separately, because some models do not read signatures', () => {
    const signature = 'Ab+/=-_0'.repeat(500)
    const bodyOf = (name: string, text: string): object => ({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'Hi', [name]: text },
            { functionCall: { name: 'f', args: {} }, [name]: text },
          ],
        },
      ],
    })
    for (const name of ['thoughtSignature', 'thought_signature']) {
      const signed = request(bodyOf(name, signature))
      const plain = request(bodyOf(name, ''))
      expect(signed.textTokensMax - plain.textTokensMax).toBe(2_000)
      expect(signed.signatureTokens).toBe(2 * Math.ceil((signature.length + 2) / 4))
      expect(plain.signatureTokens).toBeLessThanOrEqual(2)
    }
    expect(request(bodyOf('text', signature)).signatureTokens).toBeUndefined()
    expect(request(bodyOf('thoughtSignature', 'a b')).signatureTokens).toBeUndefined()
  })

  it('several fetched files of a request count as the most expensive medium of these files', () => {
    const fileOf = (mimeType: string): object => ({ fileData: { fileUri: 'https://x.example/a', mimeType } })
    for (const types of [
      ['audio/mp3', 'application/pdf'],
      ['application/pdf', 'audio/mp3'],
    ])
      expect(request({ contents: { parts: types.map(fileOf) } }).fetched).toBe('any')
  })

  it('the model and the form of the stream are read from the path, and all other fields from the body', () => {
    const body = {
      contents: hello,
      generationConfig: { maxOutputTokens: 5, candidateCount: 2 },
      serviceTier: 'flex',
      svc: { outcome: 'ticket', outcome_id: 'r1' },
    }
    const asked = { model: 'acme/fast', isStream: true, isJsonArray: true }
    expect(parseGenerateRequest(byteTextOf(JSON.stringify(body)), asked)).toMatchObject({
      model: 'acme/fast',
      isStream: true,
      isJsonArray: true,
      outputTokensMax: 5,
      choices: 2,
      serviceTier: 'flex',
      outcome: { slug: 'ticket', runId: 'r1' },
      places: { model: null },
    })
  })

  it('field names with underscores, which the Python client sends, are also read', () => {
    const body = {
      contents: hello,
      system_instruction: { parts: [{ text: 'be brief' }] },
      generation_config: { max_output_tokens: 7, candidate_count: 3 },
      service_tier: 'priority',
    }
    expect(request(body)).toMatchObject({ outputTokensMax: 7, choices: 3, serviceTier: 'priority' })
  })

  it('a single content, part or tool is read as a list with one entry, as Google reads it', () => {
    expect(request({ contents: { parts: { text: 'hello' } } })).toMatchObject({ choices: 1 })
    expect(refused({ contents: { parts: { fileData: { fileUri: 'x' } } } })).toContain(
      'contents.0.parts.0.fileData',
    )
    expect(request({ contents: hello, tools: { googleSearch: {} } }).lost).toEqual(['tools.googleSearch'])
  })

  it('a computer tool that the client runs is accepted, and the hold covers the functions of the tool', () => {
    const plain = request({ contents: hello, tools: [{ functionDeclarations: [] }] })
    for (const name of ['computerUse', 'computer_use']) {
      const tools = [{ functionDeclarations: [] }, { [name]: { environment: 'ENVIRONMENT_BROWSER' } }]
      const { textTokensMax } = request({ contents: hello, tools })
      expect(textTokensMax - plain.textTokensMax).toBeGreaterThan(8_000)
    }
  })

  const faults: readonly (readonly [string, unknown, string])[] = [
    ['not JSON', '{"contents":', 'invalid_json null'],
    ['not an object', '[1]', 'invalid_request null'],
    ['no contents', {}, 'invalid_request contents'],
    ['empty contents', { contents: [] }, 'invalid_request contents'],
    ['a content that is no object', { contents: ['x'] }, 'invalid_request contents.0'],
    ['a part that is no object', withPart('x'), 'invalid_request contents.0.parts.0'],
    ...[0, -1, 0.5, '5', 1e30].map(
      (count) =>
        [
          `a maximum of ${JSON.stringify(count)}`,
          { contents: hello, generationConfig: { maxOutputTokens: count } },
          'invalid_request generationConfig.maxOutputTokens',
        ] as const,
    ),
    [
      '129 candidates',
      { contents: hello, generation_config: { candidate_count: 129 } },
      'invalid_request generationConfig.candidateCount',
    ],
    ['a field twice', '{"contents":[{}],"contents":[{}]}', 'invalid_request contents'],
    [
      'a field in both spellings',
      { contents: hello, generationConfig: {}, generation_config: {} },
      'invalid_request generationConfig',
    ],
    [
      'two maxima',
      { contents: hello, generationConfig: { maxOutputTokens: 1, max_output_tokens: 9 } },
      'invalid_request generationConfig.maxOutputTokens',
    ],
    [
      'a key that occurs both with an escape and without',
      String.raw`{"contents":[{}],"generationConfig":{"maxOutputTokens":1,"max\u004futputTokens":9}}`,
      'invalid_request generationConfig.maxOutputTokens',
    ],
    ['another model than the path', { contents: hello, model: 'models/other' }, 'invalid_request model'],
    [
      'a cached content without a name',
      { contents: hello, cached_content: 1 },
      'invalid_request cachedContent',
    ],
    [
      'another model by a route',
      {
        contents: hello,
        generationConfig: { routingConfig: { manualMode: { modelName: 'gemini-3-ultra' } } },
      },
      'unsupported_for_route generationConfig.routingConfig',
    ],
    [
      'another model by a preference',
      { contents: hello, generation_config: { model_config: { featureSelectionPreference: 'BALANCED' } } },
      'unsupported_for_route generationConfig.modelConfig',
    ],
    [
      'a check by Model Armor',
      { contents: hello, model_armor_config: { promptTemplateName: 'projects/p/locations/l/templates/t' } },
      'unsupported_for_route modelArmorConfig',
    ],
    ['a base URL', { contents: hello, api_base: 'https://x' }, 'unsupported_for_route apiBase'],
    ['extra headers', { contents: hello, extraHeaders: {} }, 'unsupported_for_route extraHeaders'],
    ...[['AUDIO'], ['TEXT', 'IMAGE', 'VIDEO'], 'AUDIO', [7]].map(
      (responseModalities) =>
        [
          `${JSON.stringify(responseModalities)} to come out`,
          { contents: hello, generationConfig: { responseModalities } },
          'unsupported_for_route generationConfig.responseModalities',
        ] as const,
    ),
    [
      'a file by name',
      withPart({ file_data: { file_uri: 'x' } }),
      'unsupported_for_route contents.0.parts.0.fileData.fileUri',
    ],
    [
      'a file by name in a result',
      withPart({ functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: 'x' } }] } }),
      'unsupported_for_route contents.0.parts.0.functionResponse.parts.0.fileData.fileUri',
    ],
    [
      'a file by name in the instruction',
      { contents: hello, systemInstruction: { parts: [{ fileData: {} }] } },
      'unsupported_for_route systemInstruction.parts.0.fileData.fileUri',
    ],
    ...googleAddresses.map(
      (fileUri) =>
        [
          `a file at ${fileUri}`,
          withPart({ fileData: { fileUri, mimeType: 'video/mp4' } }),
          'unsupported_for_route contents.0.parts.0.fileData.fileUri',
        ] as const,
    ),
    [
      'a video',
      withPart({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
      'unsupported_for_route contents.0.parts.0.inlineData',
    ],
    [
      'frames per second that are too many',
      withPart({ inlineData: video, videoMetadata: { fps: 25 } }),
      'invalid_request contents.0.parts.0.videoMetadata.fps',
    ],
    [
      'frames per second that are not a number',
      withPart({ inlineData: video, videoMetadata: { fps: '1' } }),
      'invalid_request contents.0.parts.0.videoMetadata.fps',
    ],
    [
      'an unknown setting of a video',
      withPart({ inlineData: video, videoMetadata: { speed: 2 } }),
      'unsupported_for_route contents.0.parts.0.videoMetadata.speed',
    ],
    [
      'settings of a video that is elsewhere',
      withPart({ videoMetadata: { fps: 2 } }),
      'unsupported_for_route contents.0.parts.0.videoMetadata',
    ],
    [
      'a part of an unknown kind',
      withPart({ hologram: { fileUri: 'gs://x' } }),
      'unsupported_for_route contents.0.parts.0.hologram',
    ],
    [
      'data without a type',
      withPart({ inlineData: { data: 'AAAA' } }),
      'invalid_request contents.0.parts.0.inlineData',
    ],
    [
      'data with two types',
      '{"contents":[{"parts":[{"inlineData":{"mimeType":"video/mp4","mime_type":"image/png","data":"AAAA"}}]}]}',
      'invalid_request contents.0.parts.0.inlineData',
    ],
    ['svc with half', { contents: hello, svc: { outcome: 'a' } }, 'invalid_request svc'],
  ]

  it.each(faults)('a generate request with %s is rejected', (_, body, expected) => {
    expect(refused(body)).toBe(expected)
  })

  it('optional fields may be null, and the output modality may be TEXT', () => {
    const body = {
      contents: hello,
      cachedContent: null,
      tools: [{ functionDeclarations: [{ name: 'f' }], googleSearch: null }],
      generationConfig: { maxOutputTokens: null, candidateCount: null, responseModalities: ['TEXT'] },
      model: null,
      svc: null,
    }
    expect(request(body)).toMatchObject({ outputTokensMax: null, choices: 1, outcome: null })
  })

  it('the token bound of text is based on its bytes, and the token bound of media is never based on their base64', () => {
    const data = 'A'.repeat(100_000)
    const textOnly = { contents: [{ role: 'user', parts: [{ text: 'x'.repeat(1000) }] }] }
    expect(request(textOnly).textTokensMax).toBe(1000 + 4 + 32 + 8)
    const image = request(withPart({ inlineData: { mimeType: 'image/png', data } }))
    expect(image).toMatchObject({ images: { any: 16_000 }, audioTokensMax: 0 })
    expect(image.textTokensMax).toBeLessThan(400)
    const nested = {
      functionResponse: { name: 'f', response: {}, parts: [{ inlineData: { mimeType: 'image/png', data } }] },
    }
    expect(request(withPart(nested))).toMatchObject({ images: { any: 16_000 } })
    // Opus at 6 kbit/s has 750 bytes per second, which Google counts as 32 tokens.
    const audio = request(withPart({ inline_data: { mime_type: 'audio/ogg', data } }))
    expect(audio.audioTokensMax).toBeGreaterThanOrEqual((75_000 / 750) * 32)
    expect(audio.textTokensMax).toBeLessThan(400)
  })

  it('the token bound of a video is based on its frames, and on the seconds of its sound', () => {
    const text = request({ contents: [{ role: 'user', parts: [{ text: 'x' }] }] }).textTokensMax
    const ofVideo = (part: object): readonly [frames: number, sound: number] => {
      const { audioTokensMax, textTokensMax } = request(withPart(part))
      return [Math.floor((textTokensMax - text) / 300), audioTokensMax]
    }
    expect(ofVideo({ inlineData: video })).toEqual([11, 11 * 32])
    expect(ofVideo({ inlineData: video, videoMetadata: { fps: 0.1 } })).toEqual([11, 11 * 32])
    expect(ofVideo({ inline_data: video, video_metadata: { fps: 24, end_offset: '1s' } })).toEqual([
      241,
      11 * 32,
    ])
    const webmVideo = { mimeType: 'video/webm', data: webm({ content: [cluster(3_000)] }).toString('base64') }
    expect(ofVideo({ inlineData: webmVideo })).toEqual([4, 4 * 32])
  })

  it.each([
    ['of another stated type', { ...video, mimeType: 'video/webm' }],
    ['of an unknown type', { ...video, mimeType: 'video/avi' }],
    [
      'that another decoder may read further',
      { ...video, data: `${video.data.slice(0, 400)}*${video.data.slice(400)}` },
    ],
  ])('a video %s is rejected', (_, inlineData) => {
    expect(refused(withPart({ inlineData }))).toBe('unsupported_for_route contents.0.parts.0.inlineData')
  })

  it('the token bound of a text document is based on its text', () => {
    const text = '\ufdfa'.repeat(500)
    const data = Buffer.from(text).toString('base64')
    const { textTokensMax } = request(withPart({ inlineData: { mimeType: 'text/plain', data } }))
    expect(textTokensMax).toBeGreaterThan(16_500)
    expect(textTokensMax).toBeLessThan(17_500)
    expect(refused(withPart({ inlineData: { mimeType: 'text/plain', data: '!!' } }))).toContain(
      'inlineData.data',
    )
  })

  it('the token bound of tools and schemas is based on their bytes, and the request reports whether it has tools and a schema', () => {
    const plain = request({ contents: hello })
    const withTools = { contents: hello, tools: [] }
    // The name of the field `tools` is not counted, because the allowance for tools covers it.
    expect(request(withTools).textTokensMax - plain.textTokensMax).toBe(',[]'.length)
    expect(request(withTools)).toMatchObject({ hasTools: false, hasSchema: false })
    expect(request({ contents: hello, tools: [{}] })).toMatchObject({ hasTools: true, hasSchema: false })
    const added = ',"generationConfig":{"responseJsonSchema":{}}'
    const withSchema = request(`{"contents":${JSON.stringify(hello)}${added}}`)
    expect(withSchema.textTokensMax - plain.textTokensMax).toBe(',{}'.length)
    expect(withSchema).toMatchObject({ hasTools: false, hasSchema: true })
  })
})

describe('the body for a provider of the same wire', () => {
  const upstream = (body: string, max: number | null = null): string =>
    textOf(upstreamBody(request(body), 'gemini-x', max))

  it('the body for a provider of the same wire equals the client’s, byte for byte', () => {
    const body =
      '{ "contents":[{"parts":[{"text":"\\u00e9\\/"}]}],\n "generation_config": {"max_output_tokens": 9, "seed": 12345678901234567890}, "safetySettings":[1.0] }'
    expect(upstream(body)).toBe(body)
  })

  it('the clamped maximum replaces the client’s maximum, with the same spelling of the field', () => {
    expect(upstream('{"contents":[{}],"generation_config":{"max_output_tokens":900}}', 7)).toBe(
      '{"contents":[{}],"generation_config":{"max_output_tokens":7}}',
    )
  })

  it.each([
    ['{"contents":[{}]}', '{"generationConfig":{"maxOutputTokens":7},"contents":[{}]}'],
    [
      '{"contents":[{}],"generationConfig":{ }}',
      '{"contents":[{}],"generationConfig":{"maxOutputTokens":7 }}',
    ],
    [
      '{"generation_config":{"top_k":1},"contents":[{}]}',
      '{"generation_config":{"maxOutputTokens":7,"top_k":1},"contents":[{}]}',
    ],
    [
      '{"generationConfig":null,"contents":[{}]}',
      '{"generationConfig":{"maxOutputTokens":7},"contents":[{}]}',
    ],
    ['{"svc":null,"contents":[{}]}', '{"generationConfig":{"maxOutputTokens":7},"contents":[{}]}'],
  ])('a maximum is inserted into %s', (body, expected) => {
    expect(upstream(body, 7)).toBe(expected)
  })

  it('only `svc` and the model name are removed, at any position', () => {
    const svc = '"svc":{"outcome":"o","outcome_id":"r"}'
    const model = '"model":"models/acme/fast"'
    const members = fc.shuffledSubarray([svc, model, '"labels":{"a":"svc"}', '"contents":[{}]'], {
      minLength: 4,
    })
    const space = fc.constantFrom('', ' ', '\n')
    fc.assert(
      fc.property(members, space, fc.option(fc.constant(7)), (order, gap, max) => {
        const sent = `{${gap}${order.join(`${gap},${gap}`)}${gap}}`
        expect(JSON.parse(upstream(sent, max))).toEqual({
          labels: { a: 'svc' },
          contents: [{}],
          ...(max === null ? {} : { generationConfig: { maxOutputTokens: max } }),
        })
      }),
      { numRuns: 500 },
    )
  })
})

describe('countTokens', () => {
  it('a countTokens request has either only contents, or a whole request with the provider’s model name', () => {
    const alone = '{"contents":[{"parts":[{"text":"hi"}]}]}'
    expect(textOf(upstreamBody(request(alone, parseGenerateCount), 'gemini-x', null))).toBe(alone)
    const whole = '{"generateContentRequest":{"model":"models/acme/fast","contents":[{}],"tools":[]}}'
    expect(textOf(upstreamBody(request(whole, parseGenerateCount), 'gemini-x', null))).toBe(
      whole.replace('acme/fast', 'gemini-x'),
    )
  })

  it('a countTokens request is rejected if a generate request with the same content would be rejected', () => {
    expect(
      refused({ generate_content_request: { contents: hello, continuationToken: 'a' } }, parseGenerateCount),
    ).toBe('unsupported_for_route continuationToken')
    expect(refused({}, parseGenerateCount)).toBe('invalid_request contents')
    expect(refused('[', parseGenerateCount)).toContain('invalid_json')
    expect(refused('[]', parseGenerateCount)).toBe('invalid_request null')
  })

  it('the token count in a response is read, and a response without a valid count is rejected', () => {
    expect(readGenerateCount(generateCountAnswer(12))).toBe(12)
    for (const text of ['{}', '{"totalTokens":-1}', '{"totalTokens":"3"}', '<html>'])
      expect(readGenerateCount(text)).toBeNull()
  })
})
