import { isObject, listOf, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

/** OpenAI rejects a tool schema whose root lacks a type or `properties` (docs/reference/wires.md). */
export function withProperties(schema: JsonObject | null): JsonObject {
  return { type: 'object', properties: {}, ...schema }
}

export function hasRootUnion(schema: JsonObject): boolean {
  return unions.some((name) => Array.isArray(schema[name])) || typeof schema.$ref === 'string'
}

/**
 * Merges the alternatives at the root of a tool schema into one object with the properties of all alternatives. A
 * property is required if every alternative requires it. Several vendors reject alternatives at the root
 * (docs/reference/conversions.md "Tools").
 */
export function withoutRootUnion(schema: JsonObject): JsonObject {
  return merged(schema, schema, 0)
}

function merged(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { $ref: ref, allOf, anyOf, oneOf, ...rest } = schema
  if (depth > depthMax) return { ...rest, type: 'object' }
  const properties = new Map(Object.entries(objectOf(rest.properties)))
  const required = new Set(namesOf(rest.required))
  const partsOf = (value: JsonValue): readonly JsonObject[] =>
    listOf(value)
      .filter((one) => isObject(one) && one.type !== 'null')
      .map((one) => merged(objectOf(one), root, depth + 1))
  const target = targetOf(ref, root)
  const all = [...partsOf(allOf), ...(target === null ? [] : [merged(target, root, depth + 1)])]
  for (const part of all) for (const name of namesOf(part.required)) required.add(name)
  const choices = [partsOf(anyOf), partsOf(oneOf)].filter((parts) => parts.length > 0)
  for (const [first, ...others] of choices)
    for (const name of namesOf(first?.required))
      if (others.every((part) => namesOf(part.required).includes(name))) required.add(name)
  for (const part of [...all, ...choices.flat()])
    for (const [name, value] of Object.entries(objectOf(part.properties))) {
      const known = properties.get(name)
      properties.set(name, known === undefined ? value : either(known, value))
    }
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
  }
}

function either(one: JsonValue, other: JsonValue): JsonValue {
  const known = isObject(one) && Object.keys(one).length === 1 && Array.isArray(one.anyOf) ? one.anyOf : [one]
  const isKnown = known.some((each) => printValue(each ?? null) === printValue(other ?? null))
  return isKnown ? one : { anyOf: [...known, other] }
}

function targetOf(ref: JsonValue, root: JsonObject): JsonObject | null {
  const [, list = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textOrNull(ref) ?? '') ?? []
  const target = objectOf(root[list])[name]
  return isObject(target) ? target : null
}

function namesOf(value: JsonValue): readonly string[] {
  return listOf(value).filter((name) => typeof name === 'string')
}

const unions = ['anyOf', 'oneOf', 'allOf'] as const
const depthMax = 8
