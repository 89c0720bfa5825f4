import { isObject, listOf, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

export interface ClaudeSchema {
  readonly schema: JsonObject
  /** Whether the schema has lost a rule. The rule is then in the description of its value. */
  readonly isChanged: boolean
  /** Whether Anthropic accepts the given schema as it is. */
  readonly isAccepted: boolean
}

/**
 * Rewrites a response schema so that Anthropic accepts it (docs/reference/wires.md "Requests on the messages wire").
 * Every object becomes closed. Rules that Anthropic rejects, such as `minimum`, move to the description of their value.
 * @returns null if the schema would no longer describe the same answers, for example if an object has unknown properties
 */
export function schemaForClaude(schema: JsonObject): ClaudeSchema | null {
  const known = rewrittenSchemas.get(schema)
  if (known !== undefined) return known
  const rewritten = rewrittenSchema(schema)
  rewrittenSchemas.set(schema, rewritten)
  return rewritten
}

/** Several capabilities of one request ask for the same schema, which may be large. */
const rewrittenSchemas = new WeakMap<JsonObject, ClaudeSchema | null>()

function rewrittenSchema(schema: JsonObject): ClaudeSchema | null {
  if (isRecursive(schema)) return null
  const rewriting = new Rewriting()
  const rewritten = rewriting.schema(schema)
  const { isAccepted, isChanged, isPossible } = rewriting
  return isPossible ? { schema: rewritten, isChanged, isAccepted: isAccepted && !isChanged } : null
}

class Rewriting {
  isPossible = true
  isChanged = false
  isAccepted = true

  schema(given: JsonValue): JsonObject {
    if (!isObject(given)) return this.#fail()
    const out: Record<string, JsonValue> = {}
    let lost: Record<string, JsonValue> | null = null
    for (const name of Object.keys(given)) {
      const value = given[name]
      if (name === 'oneOf' || annotations.has(name)) this.isAccepted = false
      if (annotations.has(name) || name === 'additionalProperties') continue
      const kept = this.#keyword(name, value)
      if (kept === undefined) (lost ??= {})[name] = value
      else out[name === 'oneOf' ? 'anyOf' : name] = kept
    }
    // Two alternatives of one value cannot be joined to one `anyOf`.
    if (given.oneOf !== undefined && given.anyOf !== undefined) this.#fail()
    if (describesObject(given)) this.#close(given, out)
    if (lost !== null) {
      this.isChanged = true
      const said = textOrNull(given.description)
      out.description = `${said === null ? '' : `${said}\n\n`}${printValue(lost)}`
    }
    return out
  }

  /** Undefined if Anthropic rejects the keyword. */
  #keyword(name: string, value: JsonValue): JsonValue {
    switch (name) {
      case 'properties':
      case '$defs':
      case 'definitions': {
        const entries = Object.entries(objectOf(value))
        for (const entry of entries) entry[1] = this.schema(entry[1])
        return Object.fromEntries(entries)
      }
      case 'items':
        return this.schema(value)
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return listOf(value).map((one) => this.schema(one))
      case 'format':
        return formats.has(value) ? value : undefined
      case 'minItems':
        return value === 0 || value === 1 ? value : undefined
      case 'pattern':
        return typeof value === 'string' && !/\\[bB1-9]|\(\?/.test(value) ? value : undefined
      case 'enum':
        return listOf(value).some((one) => typeof one === 'object' && one !== null) ? undefined : value
      default:
        return plain.has(name) ? value : undefined
    }
  }

  /** Anthropic accepts only objects without further properties. */
  #close({ additionalProperties: more, properties }: JsonObject, out: Record<string, JsonValue>): void {
    const isOpen = more !== undefined && more !== false
    if (Object.keys(objectOf(properties)).length === 0 && more !== false) this.#fail()
    if (isOpen) this.isChanged = true
    if (more !== false || out.type === undefined) this.isAccepted = false
    out.type ??= 'object'
    out.additionalProperties = false
  }

  #fail(): JsonObject {
    this.isPossible = false
    return {}
  }
}

function describesObject({ properties, type, additionalProperties }: JsonObject): boolean {
  const types = Array.isArray(type) ? type : [type]
  return types.includes('object') || properties !== undefined || additionalProperties !== undefined
}

/** Anthropic rejects schemas that refer to themselves, and references to other documents. */
function isRecursive(schema: JsonObject): boolean {
  const definitions = { ...objectOf(schema.definitions), ...objectOf(schema.$defs) }
  /** Without this set, the number of steps could grow exponentially with the number of references. */
  const checked = new Set<string>()
  const reaches = (value: JsonValue, path: readonly string[]): boolean => {
    if (Array.isArray(value)) return value.some((one) => reaches(one, path))
    if (!isObject(value)) return false
    const { $ref: ref } = value
    if (typeof ref === 'string') {
      const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(ref)?.[1]
      if (name === undefined || path.includes(name) || path.length > depthMax) return true
      if (!checked.has(name) && reaches(definitions[name], [...path, name])) return true
      checked.add(name)
    }
    for (const name in value) {
      const one = value[name]
      // Most values of a schema are texts.
      if (typeof one !== 'object' || one === null || name === '$defs' || name === 'definitions') continue
      if (reaches(one, path)) return true
    }
    return false
  }
  return reaches(schema, [])
}

const depthMax = 16

/** Keywords without a rule for values. */
const annotations = new Set(['$schema', '$id', '$comment', 'examples', 'deprecated', 'readOnly', 'writeOnly'])

const plain = new Set(['type', 'title', 'description', 'const', 'default', 'required', '$ref'])

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])
