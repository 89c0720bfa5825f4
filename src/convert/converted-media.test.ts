import { describe, expect, it } from 'vitest'
import { listOf, objectOf, parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isFault, type RequestFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { mp4 } from '#tests/fixtures/build-video-files.ts'
import { prepareConversion, type Conversion } from './prepare-conversion.ts'

const path = (wire: WireName) => ({
  model: wire === 'generate' || wire === 'converse' ? 'm' : null,
  isStream: false,
  isJsonArray: false,
})

const nova = 'us.amazon.nova-2-lite-v1:0'

function prepare(from: WireName, body: JsonObject, wire: WireName, model = 'm'): Conversion | RequestFault {
  const request = wires[from].parseRequest(byteTextOf(JSON.stringify(body)), path(from))
  return isFault(request)
    ? request
    : prepareConversion(request, { wire, model, origin: 'o', dialect: 'openai' })
}

/** The parser of the other wire must accept the converted body. */
function converted(from: WireName, body: JsonObject, to: WireName, model = 'm'): JsonObject {
  const conversion = prepare(from, body, to, model)
  if (isFault(conversion)) throw new Error(`${conversion.param}: ${conversion.reason}`)
  const text = conversion.body({ outputTokensMax: 9, outputTokensDefault: 99 })
  const parsed = wires[to].parseRequest(text, path(to))
  if (isFault(parsed)) throw new Error(`${parsed.param}: ${parsed.reason}`)
  return objectOf(parseObject(textOf(text)))
}

const chat = (...content: JsonObject[]): JsonObject => ({ model: 'm', messages: [{ role: 'user', content }] })
const messages = (...content: JsonObject[]): JsonObject => ({ ...chat(...content), max_tokens: 9 })
const responses = (...content: JsonObject[]): JsonObject => ({
  model: 'm',
  input: [{ role: 'user', content }],
})
const generate = (...parts: JsonObject[]): JsonObject => ({ contents: [{ role: 'user', parts }] })

const image = 'https://a.example/cat.PNG?size=1'
const pdf = 'https://a.example/paper.pdf'

function partsOf(body: JsonObject): readonly unknown[] {
  return listOf(objectOf(listOf(body.contents)[0]).parts)
}

describe('media that few providers accept', () => {
  const clip = mp4({}).toString('base64')
  const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

  it('a video of a Converse request becomes inlineData of Gemini, and is rejected for others', () => {
    const video = { format: 'mp4', source: { bytes: clip } }
    const body = { messages: [{ role: 'user', content: [{ text: 'look' }, { video }] }] }
    expect(partsOf(converted('converse', body, 'generate'))).toEqual([
      { text: 'look' },
      { inlineData: { mimeType: 'video/mp4', data: clip } },
    ])
    expect(prepare('converse', body, 'messages')).toMatchObject({
      code: 'unsupported_for_route',
      param: 'messages.content.video',
    })
  })

  it('a video of a Gemini request becomes a video for Nova, and is rejected for other models of Converse', () => {
    const inlineData = { mimeType: 'video/mp4', data: clip }
    const body = generate({ text: 'look' }, { inlineData })
    expect(converted('generate', body, 'converse', nova).messages).toEqual([
      { role: 'user', content: [{ text: 'look' }, { video: { format: 'mp4', source: { bytes: clip } } }] },
    ])
    expect(prepare('generate', body, 'converse')).toMatchObject({
      code: 'unsupported_for_route',
      param: 'contents.parts.inlineData',
    })
  })

  it.each([
    ['in the part of the video', 'contents.0.parts.0.videoMetadata', true],
    ['in the next part', 'contents.0.parts.1.videoMetadata', false],
  ])('video settings %s are rejected for other providers', (_where, param, isInPart) => {
    const inlineData = { mimeType: 'video/mp4', data: clip }
    const videoMetadata = { startOffset: '1s' }
    const body = isInPart
      ? generate({ inlineData, videoMetadata })
      : generate({ inlineData }, { videoMetadata })
    expect(prepare('generate', body, 'converse', nova)).toMatchObject({
      code: 'unsupported_for_route',
      param,
    })
  })

  describe('an image that a model has generated earlier', () => {
    const data = 'iVBORw0KGgo='
    const history: Readonly<Partial<Record<WireName, JsonObject>>> = {
      generate: {
        contents: [
          { role: 'user', parts: [{ text: 'draw' }] },
          { role: 'model', parts: [{ text: 'here' }, { inlineData: { mimeType: 'image/png', data } }] },
          { role: 'user', parts: [{ text: 'now in red' }] },
        ],
      },
      responses: {
        model: 'm',
        input: [
          { role: 'user', content: 'draw' },
          { role: 'assistant', content: 'here' },
          { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: data },
          { role: 'user', content: 'now in red' },
        ],
      },
    }

    it.each([
      ['generate', 'chat'],
      ['generate', 'messages'],
      ['generate', 'responses'],
      ['generate', 'converse'],
      ['responses', 'chat'],
      ['responses', 'messages'],
      ['responses', 'converse'],
    ] as const)('from %s to %s, the image moves to the next user message, between marks', (from, to) => {
      const body = history[from] ?? {}
      const text = JSON.stringify(converted(from, body, to))
      const order = ['draw', 'here', '"user"', '<assistant>', data, '</assistant>', 'now in red']
      const places = order.map((word, i) => text.indexOf(word, i < 2 ? 0 : text.indexOf('here')))
      expect(places).not.toContain(-1)
      expect(places).toEqual(places.toSorted((one, other) => one - other))
      const conversion = prepare(from, body, to)
      const field = from === 'generate' ? 'contents.parts.inlineData' : 'input.image_generation_call'
      expect(isFault(conversion) || conversion.lost).toEqual([field])
    })

    it('from responses to generate, the image remains a part of the answer of the model', () => {
      expect(converted('responses', history.responses ?? {}, 'generate').contents).toEqual(
        history.generate?.contents,
      )
    })
  })

  it.each(['chat', 'responses'] as const)(
    'a video that a client of %s sends as a file is rejected for Gemini',
    (from) => {
      const file_data = `data:video/mp4;base64,${clip}`
      const body =
        from === 'chat'
          ? chat({ type: 'file', file: { file_data } })
          : responses({ type: 'input_file', file_data })
      expect(prepare(from, body, 'generate')).toMatchObject({ code: 'unsupported_for_route' })
    },
  )

  it('an Office file becomes a document of Converse, and is rejected for providers that accept only PDF and text', () => {
    const file = { filename: 'a.docx', file_data: `data:${docx};base64,AAAA` }
    const body = chat({ type: 'file', file })
    expect(JSON.stringify(converted('chat', body, 'converse'))).toContain(
      '"document":{"format":"docx","name":"document 1","source":{"bytes":"AAAA"}}',
    )
    expect(prepare('chat', body, 'messages')).toMatchObject({ param: 'messages.content.file' })
  })
})

describe('media at an address', () => {
  it.each<[string, WireName, JsonObject, string, string]>([
    ['chat', 'chat', chat({ type: 'image_url', image_url: { url: image } }), image, 'image/png'],
    [
      'messages',
      'messages',
      messages({ type: 'image', source: { type: 'url', url: image } }),
      image,
      'image/png',
    ],
    ['responses', 'responses', responses({ type: 'input_image', image_url: image }), image, 'image/png'],
    ['Mistral', 'chat', chat({ type: 'document_url', document_url: pdf }), pdf, 'application/pdf'],
    ['OpenRouter', 'chat', chat({ type: 'file', file: { file_data: pdf } }), pdf, 'application/pdf'],
    ['responses', 'responses', responses({ type: 'input_file', file_url: pdf }), pdf, 'application/pdf'],
  ])(
    'an address of %s becomes fileData with the media type that the address states',
    (_client, from, body, fileUri, mimeType) => {
      expect(partsOf(converted(from, body, 'generate'))).toEqual([{ fileData: { fileUri, mimeType } }])
    },
  )

  it('a document of the messages format is read as a PDF, whatever the ending of its address is', () => {
    const url = 'https://a.example/paper'
    const body = messages({ type: 'document', source: { type: 'url', url } })
    expect(partsOf(converted('messages', body, 'generate'))).toEqual([
      { fileData: { fileUri: url, mimeType: 'application/pdf' } },
    ])
  })

  it('fileData of Gemini becomes an image or a document at the address', () => {
    const fileData = { fileUri: 'https://a.example/x', mimeType: 'image/png' }
    const body = generate({ fileData })
    const source = { type: 'url', url: fileData.fileUri }
    expect(JSON.stringify(converted('generate', body, 'chat'))).toContain(
      '"image_url":{"url":"https://a.example/x"}',
    )
    expect(converted('generate', body, 'messages').messages).toEqual([
      { role: 'user', content: [{ type: 'image', source }] },
    ])
    expect(JSON.stringify(converted('generate', body, 'responses'))).toContain(
      '"image_url":"https://a.example/x"',
    )
    const document = generate({ file_data: { file_uri: pdf, mime_type: 'application/pdf' } })
    expect(converted('generate', document, 'messages').messages).toEqual([
      { role: 'user', content: [{ type: 'document', source: { type: 'url', url: pdf } }] },
    ])
    expect(JSON.stringify(converted('generate', document, 'responses'))).toContain(`"file_url":"${pdf}"`)
  })

  it.each([
    ['states no media type', 'https://a.example/cat'],
    ['states a media type that Gemini does not read', 'https://a.example/cat.gif'],
    [
      'belongs to a service that Google reads with the rights of the account',
      'https://drive.google.com/cat.png',
    ],
    ['is a stored file', 'https://generativelanguage.googleapis.com/v1beta/files/cat.png'],
    ['is a video', 'https://www.youtube.com/cat.png'],
  ])('an image is rejected for Gemini if its address %s', (_why, url) => {
    expect(prepare('chat', chat({ type: 'image_url', image_url: { url } }), 'generate')).toMatchObject({
      code: 'unsupported_for_route',
      param: 'messages.content.image_url',
    })
  })

  it.each([
    ['a video', 'https://a.example/a.mp4', 'video/mp4'],
    ['a file in Cloud Storage', 'gs://bucket/a.png', 'image/png'],
    ['a page of YouTube', 'https://youtu.be/a', 'image/png'],
  ])('fileData of %s is rejected for other providers', (_what, fileUri, mimeType) => {
    expect(prepare('generate', generate({ fileData: { fileUri, mimeType } }), 'messages')).toMatchObject({
      code: 'unsupported_for_route',
      param: 'contents.0.parts.0.fileData',
    })
  })

  it('an image at an address in a tool result follows the results, because Gemini accepts only data in tool results', () => {
    const body = {
      model: 'm',
      input: [
        { role: 'user', content: 'look' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: image }] },
      ],
    }
    const contents = listOf(converted('responses', body, 'generate').contents)
    expect(objectOf(contents[2]).parts).toEqual([
      { functionResponse: { id: 'c', name: 'f', response: { output: '' } } },
      { fileData: { fileUri: image, mimeType: 'image/png' } },
    ])
  })

  it('an address in `file_data` counts as a document of unknown size that the provider fetches', () => {
    const text = byteTextOf(JSON.stringify(chat({ type: 'file', file: { file_data: pdf } })))
    expect(wires.chat.parseRequest(text, path('chat'))).toMatchObject({ fetched: 'document' })
  })
})
