import { isObject, listOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { camelCase } from '#wire/generate/fields-in-either-spelling.ts'

/**
 * Converts Google's own schema dialect to JSON Schema (docs/reference/wires.md "Requests on the generate wire").
 * Google's dialect has uppercase types, `nullable`, `example`, and counts that typed clients write as strings. Google's
 * order of properties is dropped, because JSON Schema has no equivalent. All other keywords are the same in both
 * dialects.
 */
export function schemaFromGenerate(schema: JsonObject): JsonObject {
  const out: Record<string, JsonValue> = {}
  let isNullable = false
  for (const [spelt, value] of Object.entries(schema)) {
    const name = camelCase(spelt)
    if (name === 'nullable') isNullable = value === true
    else if (name === 'type') {
      const type = typeFrom(value)
      if (type !== null) out.type = type
    } else if (name === 'example') out.examples = [value]
    else if (counts.has(name) && typeof value === 'string' && isCount.test(value)) out[name] = Number(value)
    else if (name !== 'propertyOrdering') out[name] = childFrom(name, value)
  }
  return isNullable ? { anyOf: [out, { type: 'null' }] } : out
}

function childFrom(name: string, value: JsonValue): JsonValue {
  if (name === 'items' || name === 'additionalProperties')
    return isObject(value) ? schemaFromGenerate(value) : value
  if (name === 'anyOf') return listOf(value).map((one) => (isObject(one) ? schemaFromGenerate(one) : one))
  if (name === 'properties' && isObject(value)) {
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([key, one]) => [key, isObject(one) ? schemaFromGenerate(one) : one]),
    )
  }
  return value
}

/** Null if the type is unspecified. */
function typeFrom(type: JsonValue): JsonValue {
  if (Array.isArray(type)) return type.map(typeFrom).filter((one) => one !== null)
  return typeof type === 'string' && type !== 'TYPE_UNSPECIFIED' ? type.toLowerCase() : null
}

/** Fields with 64-bit counts, which protocol buffer JSON writes as strings. */
const counts = new Set(['minItems', 'maxItems', 'minProperties', 'maxProperties', 'minLength', 'maxLength'])
const isCount = /^\d{1,15}$/
