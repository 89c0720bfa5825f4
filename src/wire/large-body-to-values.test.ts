import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BodyReading } from './large-body-to-values.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import { wires } from './table-of-wires.ts'
import { JsonParser } from '#wire/text/json-parser.ts'
import type { Json } from '#wire/text/json-tape.ts'
import { parseValue, printValue } from '#wire/text/json-values.ts'
import type { WireName } from './names-of-wires-and-tasks.ts'
import { isFault, requestLimits, type WireRequest } from './wire-request.ts'

const mark = 'medium0123456789abcdefx'

function parsedInSteps(text: string): Json {
  const parser = new JsonParser(byteTextOf(text), requestLimits)
  while (!parser.step(1000));
  const json = parser.result()
  if ('reason' in json) throw new Error(json.reason)
  return json
}

test('a body that is read in steps of any size gives the same values as in one step', () => {
  const exact = fc.constantFrom('1.0', '9007199254740993', '1e400', '-0', '1e3', '0.10')
  const value = fc.json({ maxDepth: 5 })
  const body = fc
    .array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'é', '1', '"'), fc.oneof(value, exact)), {
      maxLength: 5,
    })
    .map((members) => `{${members.map(([key, each]) => `${JSON.stringify(key)}:${each}`).join(',')}}`)
  fc.assert(
    fc.property(body, fc.integer({ min: 1, max: 9 }), (text, values) => {
      const reading = new BodyReading(parsedInSteps(text), [], mark)
      while (!reading.step(values, 50));
      expect(printValue(reading.values.body)).toBe(printValue(parseValue(text)))
    }),
    { numRuns: 1000 },
  )
})

const model = 'acme/smart'
const path = { model, isStream: false, isJsonArray: false }
const base64 = 'iVBORw0KGgoAAAANSUhEUgAA+/9k3Qd8VNX2'.repeat(300)

const bodies: Readonly<Record<WireName, (data: string) => object>> = {
  chat: (data) => ({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Größe 一' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
          { type: 'image_url', image_url: { url: `data:image/gif;base64,${data.slice(8)}` } },
        ],
      },
    ],
  }),
  messages: (data) => ({
    model,
    max_tokens: 5,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
        ],
      },
    ],
  }),
  generate: (data) => ({
    contents: [
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data } },
          { inlineData: { mimeType: 'text/plain', data } },
        ],
      },
    ],
  }),
  responses: (data) => ({
    model,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: `data:image/png;base64,${data}` },
          { type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${data}` },
        ],
      },
    ],
  }),
  converse: (data) => ({
    messages: [
      {
        role: 'user',
        content: [
          { text: 'Größe 一' },
          { image: { format: 'png', source: { bytes: data } } },
          { image: { format: 'gif', source: { bytes: data.slice(8) } } },
        ],
      },
    ],
  }),
  cohere: (data) => ({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Größe 一' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
        ],
      },
    ],
  }),
}

const pairs = (['chat', 'messages', 'generate', 'responses'] as const).flatMap((from) =>
  (['chat', 'messages', 'generate'] as const).filter((to) => to !== from).map((to) => [from, to] as const),
)

describe('a large body with media', () => {
  test.each(pairs)(
    'a request from %s to %s is converted to the same body, whether the request was read in steps or as a whole',
    (from, to) => {
      for (const escaped of [false, true]) {
        const plain = JSON.stringify(bodies[from](base64))
        const json = parsedInSteps(escaped ? plain.replaceAll(/(?<=[A-Za-z0-9])\//g, '\\/') : plain)
        const request = wires[from].parseRequest(json, path)
        if (isFault(request)) throw new Error(request.reason)
        expect(request.media.length).toBeGreaterThan(0)
        const reading = new BodyReading(json, request.media, mark)
        while (!reading.step(3, 1000));
        const written = (each: WireRequest): unknown => {
          const target = { wire: to, model: 'm', origin: 'o', dialect: 'openai' } as const
          const conversion = prepareConversion(each, target)
          if (isFault(conversion)) throw new Error(conversion.reason)
          return JSON.parse(textOf(conversion.body({ outputTokensMax: 5, outputTokensDefault: 5 })))
        }
        const values = reading.values
        expect(printValue(values.body).length).toBeLessThan(base64.length * 1.5)
        expect(written({ ...request, values })).toEqual(written(request))
      }
    },
  )

  test('if a conversion reads the media of a body, the body is converted as a whole', () => {
    const json = parsedInSteps(JSON.stringify(bodies.chat(base64)))
    const request = wires.chat.parseRequest(json, path)
    if (isFault(request)) throw new Error(request.reason)
    const reading = new BodyReading(json, request.media, mark)
    while (!reading.step(100, 10_000));
    const values = { ...reading.values, mark: 'a mark that stands nowhere' }
    const target = { wire: 'messages', model: 'm', origin: 'o', dialect: 'openai' } as const
    const conversion = prepareConversion({ ...request, values }, target)
    if (isFault(conversion)) throw new Error(conversion.reason)
    expect(conversion.body({ outputTokensMax: 5, outputTokensDefault: 5 })).toContain(base64)
  })
})
