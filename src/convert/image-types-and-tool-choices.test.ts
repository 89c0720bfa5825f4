import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { prepareConversion } from './prepare-conversion.ts'
import { mediaTypeOf, mediaTypeOfData, sourceOfUrl } from './data-url.ts'
import { wires } from '#wire/table-of-wires.ts'
import { parseObject } from '#wire/text/json-values.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isFault } from '#wire/wire-request.ts'

function converted(from: WireName, to: 'messages' | 'generate' | 'chat', body: object): string {
  const path = { model: 'm', isStream: false, isJsonArray: false }
  const request = wires[from].parseRequest(byteTextOf(JSON.stringify(body)), path)
  if (isFault(request)) throw new Error(request.reason)
  const destination = { wire: to, model: 'some-model', origin: 'o', dialect: 'openai' } as const
  const conversion = prepareConversion(request, destination)
  if (isFault(conversion)) throw new Error(conversion.reason)
  return textOf(conversion.body({ outputTokensMax: 9, outputTokensDefault: 9 }))
}

it.each([
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/vnd.wave', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/x-mp3', 'mp3'],
])('sound of the type %s in Gemini’s format is sent to OpenAI as %s', (mimeType, format) => {
  const body = converted('generate', 'chat', {
    contents: [{ parts: [{ text: 'a' }, { inlineData: { mimeType, data: 'AAAA' } }] }],
  })
  expect(parseObject(body)).toMatchObject({
    messages: [{ content: [{}, { type: 'input_audio', input_audio: { data: 'AAAA', format } }] }],
  })
})

describe('an image with a misspelled media type', () => {
  const data = '/9j/4AAQSkZJRg=='

  it.each(['image/jpg', 'image/pjpeg', 'IMAGE/JPG', 'image/jpeg'])(
    'an image of the type %s is sent as a JPEG to every provider',
    (type) => {
      const url = `data:${type};base64,${data}`
      expect(sourceOfUrl(url)).toEqual({ kind: 'data', mediaType: 'image/jpeg', data })
      const chat = {
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
      }
      const responses = {
        model: 'm',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
      }
      const messages = {
        model: 'm',
        max_tokens: 9,
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: type, data } }] },
        ],
      }
      const generate = { contents: [{ parts: [{ inlineData: { mimeType: type, data } }] }] }
      const sent = [
        converted('chat', 'messages', chat),
        converted('chat', 'generate', chat),
        converted('responses', 'messages', responses),
        converted('responses', 'generate', responses),
        converted('messages', 'generate', messages),
        converted('messages', 'chat', messages),
        converted('generate', 'messages', generate),
        converted('generate', 'chat', generate),
      ]
      for (const body of sent) expect(body).toContain('image/jpeg')
    },
  )

  it('other image types are not changed', () => {
    expect(mediaTypeOf(' Image/PNG ')).toBe('image/png')
    expect(mediaTypeOf('image/jpgx')).toBe('image/jpgx')
  })
})

describe('an image whose bytes have another type than the stated type', () => {
  const png = 'iVBORw0KGgoAAAANSUhEUg=='
  const images = [
    ['image/png', png],
    ['image/jpeg', '/9j/4AAQSkZJRg=='],
    ['image/gif', 'R0lGODdhAQABAAAA'],
    ['image/gif', 'R0lGODlhAQABAAAA'],
    ['image/webp', 'UklGRiQAAABXRUJQVlA4IBgA'],
  ] as const

  const stating = (type: string, data: string): readonly [WireName, object][] => {
    const url = `data:${type};base64,${data}`
    const source = { type: 'base64', media_type: type, data }
    return [
      [
        'chat',
        { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
      ],
      [
        'responses',
        { model: 'm', input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] },
      ],
      [
        'messages',
        { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'image', source }] }] },
      ],
      ['generate', { contents: [{ parts: [{ inlineData: { mimeType: type, data } }] }] }],
      [
        'converse',
        {
          messages: [
            {
              role: 'user',
              content: [{ image: { format: type.slice('image/'.length), source: { bytes: data } } }],
            },
          ],
        },
      ],
    ]
  }

  it.each(images)('an image of the type %s is sent with its own type', (type, data) => {
    const stated = type === 'image/png' ? 'image/webp' : 'image/png'
    for (const [from, body] of stating(stated, data)) {
      const to = from === 'messages' ? 'generate' : 'messages'
      const sent = converted(from, to, body)
      expect(sent).toContain(`"${type}"`)
      expect(sent).not.toContain(stated)
    }
  })

  it.each([['AAAA'], ['UklGRiQAAABXQVZFZm10IBAA'], ['iVBORw0KGg'], ['']])(
    'the stated type of an image with the unknown bytes %j is kept',
    (data) => {
      expect(mediaTypeOfData({ stated: 'image/webp', data })).toBe('image/webp')
    },
  )

  it('the type of a file is not read from its bytes', () => {
    expect(mediaTypeOfData({ stated: 'application/pdf', data: png })).toBe('application/pdf')
  })
})

it('Mistral’s tool choice `any` is read as a required tool call', () => {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'any',
  }
  expect(parseObject(converted('chat', 'messages', body))?.tool_choice).toEqual({ type: 'any' })
})
