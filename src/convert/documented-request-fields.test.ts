import { describe, expect, it } from 'vitest'
import {
  documentedFields,
  type DocumentedFields,
} from '#tests/fixtures/conversions/documented-request-fields.ts'
import { withField } from '#tests/fixtures/conversions/with-field.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { wires } from '#wire/table-of-wires.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { isFault, type RequestFault } from '#wire/wire-request.ts'
import { prepareConversion } from './prepare-conversion.ts'

const destinations: Readonly<Record<WireName, Destination>> = {
  chat: { wire: 'chat', model: 'gpt-6', origin: 'o', dialect: 'openai' },
  messages: { wire: 'messages', model: 'claude-opus-5', origin: 'o', dialect: 'openai' },
  generate: { wire: 'generate', model: 'gemini-3-flash', origin: 'o', dialect: 'openai' },
  responses: { wire: 'responses', model: 'gpt-6', origin: 'o', dialect: 'openai' },
  converse: { wire: 'converse', model: 'us.amazon.nova-pro-v1:0', origin: 'o', dialect: 'compatible' },
  cohere: { wire: 'cohere', model: 'command-a-reasoning-08-2025', origin: 'o', dialect: 'compatible' },
}

interface Converted {
  /** Everything that has an effect: the body, and the stop sequences and hidden thoughts of the gateway. */
  readonly effect: string
  readonly lost: readonly string[]
}

function converted(from: WireName, body: JsonObject, to: WireName): Converted | RequestFault {
  const model = from === 'generate' || from === 'converse' ? 'm' : null
  const path = { model, isStream: false, isJsonArray: false }
  const request = wires[from].parseRequest(byteTextOf(JSON.stringify(body)), path)
  if (isFault(request)) return request
  const conversion = prepareConversion(request, destinations[to])
  if (isFault(conversion)) return conversion
  const { lost, outputTokensMax, request: asked, stops } = conversion
  const written = textOf(conversion.body({ outputTokensMax, outputTokensDefault: 777 }))
  return { effect: JSON.stringify([written, stops, asked.reasoning?.isShown === false]), lost }
}

describe.each(documentedFields)('a documented field of $from', ({ base, fields, from, withoutEffect }) => {
  const others = wireNames.filter((wire) => wire !== from)
  const plain = new Map(others.map((to) => [to, converted(from, base, to)]))

  it('the body without the field is converted', () => {
    expect([...plain.values()].filter((result) => !isFault(result)).length).toBeGreaterThan(3)
  })

  it.each(casesOf(fields))(
    '$path = $value is carried over, reported or rejected',
    ({ path, value, isDefaultAt }) => {
      for (const to of others) {
        const before = plain.get(to)
        const after = converted(from, withField(base, path, value), to)
        if (before === undefined || isFault(before) || isFault(after)) continue
        const added = after.lost.filter((field) => !before.lost.includes(field))
        if (path.endsWith('x_new')) expect(added.join()).toMatch(/x_new$|xNew$/)
        const isKept = added.length > 0 || after.effect !== before.effect
        expect(`${to}: ${isKept}`).toBe(`${to}: ${!isDefaultAt.includes(to)}`)
      }
    },
  )

  it.each(casesOf(withoutEffect))(
    '$path = $value is not reported, because it has no effect',
    ({ path, value }) => {
      for (const to of others)
        expect(converted(from, withField(base, path, value), to)).toEqual(plain.get(to))
    },
  )
})

interface Case {
  readonly path: string
  readonly value: JsonValue
  readonly isDefaultAt: readonly WireName[]
}

function casesOf(fields: DocumentedFields['fields']): readonly Case[] {
  return fields.map(([path, value, isDefaultAt = []]) => ({ path, value, isDefaultAt }))
}
