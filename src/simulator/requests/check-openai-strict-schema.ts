import { isObject, objectOf, type JsonObject } from '#simulator/read-values-of-any-shape.ts'

/**
 * Returns OpenAI's error, or null if OpenAI accepts the strict schema. Every object must forbid additional properties
 * and require all its properties (docs/reference/conversions.md "Tools").
 */
export function strictFault(schema: JsonObject): string | null {
  return faultAt(schema, [])
}

function faultAt(schema: unknown, path: readonly string[]): string | null {
  if (!isObject(schema)) return null
  const context = `In context=(${path.map((step) => `'${step}'`).join(', ')}),`
  if (schema['type'] === 'object' || 'properties' in schema) {
    if (schema['additionalProperties'] !== false) {
      return `${context} 'additionalProperties' is required to be supplied and to be false.`
    }
    const required = schema['required']
    const missing = Object.keys(objectOf(schema['properties'])).find(
      (name) => !Array.isArray(required) || !required.includes(name),
    )
    if (missing !== undefined) {
      return `${context} 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
    }
  }
  for (const key of ['properties', '$defs', 'definitions']) {
    for (const [name, inner] of Object.entries(objectOf(schema[key]))) {
      const fault = faultAt(inner, [...path, key, name])
      if (fault !== null) return fault
    }
  }
  const lists = ['anyOf', 'allOf', 'oneOf'].flatMap((key) => {
    const list: unknown = schema[key]
    return Array.isArray(list)
      ? list.map((inner: unknown, index) => [inner, key, String(index)] as const)
      : []
  })
  for (const [inner, ...steps] of [[schema['items'], 'items'] as const, ...lists]) {
    const fault = faultAt(inner, [...path, ...steps])
    if (fault !== null) return fault
  }
  return null
}
