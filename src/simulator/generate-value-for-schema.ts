import { isObject, objectOf, objectsOf, type JsonObject } from './read-values-of-any-shape.ts'

/** Enough for real schemas, but stops a schema that refers to itself. */
const depthMax = 16
/** A short schema can require an enormous number of values. Values beyond this number are null. */
const valuesMax = 2000

/**
 * Returns a small value that satisfies a JSON Schema, or a schema in Google's dialect (types in capitals). Objects
 * contain only their required members. Patterns are ignored.
 */
export function instanceOf(schema: JsonObject): unknown {
  return valueOf(schema, { root: schema, values: 0 }, 0)
}

interface Making {
  readonly root: JsonObject
  values: number
}

function valueOf(given: unknown, making: Making, depth: number): unknown {
  if (!isObject(given) || depth > depthMax || ++making.values > valuesMax) return null
  const schema = resolved(given, making.root)
  if ('const' in schema) return schema['const']
  const { enum: values, default: preset } = schema
  if (Array.isArray(values) && values.length > 0) return values[0]
  if (preset !== undefined) return preset
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const [first] = objectsOf(schema[key])
    // Keywords next to `anyOf`, such as a title or a description, do not restrict the value.
    if (first) return valueOf(first, making, depth + 1)
  }
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  switch (typeof type === 'string' ? type.toLowerCase() : 'properties' in schema ? 'object' : '') {
    case 'object': {
      const properties = objectOf(schema['properties'])
      const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
      return Object.fromEntries(
        required
          .filter((name) => typeof name === 'string')
          .map((name) => [name, valueOf(properties[name] ?? {}, making, depth + 1)]),
      )
    }
    case 'array': {
      const count = Math.min(Number(schema['minItems'] ?? 0), 100)
      return Array.from({ length: count }, () => valueOf(schema['items'], making, depth + 1))
    }
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0
    case 'boolean':
      return false
    default:
      return null
  }
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const reference = schema['$ref']
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) at = objectOf(at)[step]
  // Each reference is one step, so that the depth limit ends circular references.
  return isObject(at) ? at : {}
}

function textOf({ format, minLength }: JsonObject): string {
  const text =
    typeof format === 'string' && Object.hasOwn(examples, format) ? (examples[format] ?? '') : 'text'
  return text.padEnd(Math.min(Number(minLength ?? 0), 1000), 'x')
}

const examples: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}
