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
  return new Merging(schema).merged(schema, 0)
}

/**
 * End users write these schemas, so the work is limited. A few kilobytes of alternatives with references to each other
 * could otherwise block the process for hours.
 */
class Merging {
  readonly #root: JsonObject
  readonly #definitions = new Map<JsonObject, JsonObject>()
  #work = workMax

  constructor(root: JsonObject) {
    this.#root = root
  }

  merged(schema: JsonObject, depth: number): JsonObject {
    const { $ref: ref, allOf, anyOf, oneOf, ...rest } = schema
    if (depth > depthMax || !this.#spend(1)) return { ...rest, type: 'object' }
    const properties = new Map<string, Alternatives>()
    this.#add(rest, properties)
    const required = new Set(namesOf(rest.required))
    const all = [...this.#parts(allOf, depth, properties), ...this.#definition(ref, depth, properties)]
    for (const part of all) for (const name of namesOf(part.required)) required.add(name)
    const choices = [this.#parts(anyOf, depth, properties), this.#parts(oneOf, depth, properties)]
    for (const [first, ...others] of this.#isOver ? [] : choices) {
      const ofOthers = others.map((part) => new Set(namesOf(part.required)))
      for (const name of namesOf(first?.required))
        if (ofOthers.every((names) => names.has(name))) required.add(name)
    }
    return {
      ...rest,
      type: 'object',
      properties: Object.fromEntries([...properties].map(([name, one]) => [name, one.value])),
      ...(required.size > 0 && { required: [...required] }),
    }
  }

  /** Merges each schema of a list, and adds its properties. */
  #parts(value: JsonValue, depth: number, properties: Map<string, Alternatives>): readonly JsonObject[] {
    const parts: JsonObject[] = []
    for (const one of listOf(value)) {
      if (!isObject(one) || one.type === 'null') continue
      const part = this.merged(one, depth + 1)
      if (!this.#spend(namesOf(part.required).length)) break
      this.#add(part, properties)
      parts.push(part)
    }
    return parts
  }

  /** A definition that contains itself has no properties there. */
  #definition(ref: JsonValue, depth: number, properties: Map<string, Alternatives>): readonly JsonObject[] {
    const target = targetOf(ref, this.#root)
    if (target === null) return []
    let merged = this.#definitions.get(target)
    if (merged === undefined) {
      this.#definitions.set(target, { type: 'object' })
      merged = this.merged(target, depth + 1)
      this.#definitions.set(target, merged)
    }
    this.#add(merged, properties)
    return [merged]
  }

  #add(part: JsonObject, properties: Map<string, Alternatives>): void {
    for (const [name, value] of Object.entries(objectOf(part.properties))) {
      if (!this.#spend(1)) return
      const known = properties.get(name)
      if (known === undefined) properties.set(name, new Alternatives(value))
      else this.#spend(known.add(value) / charactersPerWork)
    }
  }

  /** Returns false if the work exceeds the maximum. The remaining alternatives are then omitted. */
  #spend(work: number): boolean {
    this.#work -= work
    return !this.#isOver
  }

  get #isOver(): boolean {
    return this.#work < 0
  }
}

/** The different schemas of a property. */
class Alternatives {
  readonly #first: JsonValue
  readonly #others: JsonValue[] = []
  #texts: Set<string> | null = null

  constructor(first: JsonValue) {
    this.#first = first
  }

  get value(): JsonValue {
    return this.#others.length === 0 ? this.#first : { anyOf: [...listed(this.#first), ...this.#others] }
  }

  /** @returns the number of printed characters */
  add(value: JsonValue): number {
    if (value === this.#first) return 0
    let printed = 0
    if (this.#texts === null) {
      this.#texts = new Set(listed(this.#first).map(textOf))
      for (const { length } of this.#texts) printed += length
    }
    const text = textOf(value)
    if (!this.#texts.has(text)) this.#others.push(value)
    this.#texts.add(text)
    return printed + text.length
  }
}

/** The alternatives of a schema that consists only of alternatives. */
function listed(schema: JsonValue): readonly JsonValue[] {
  const isList = isObject(schema) && Object.keys(schema).length === 1 && Array.isArray(schema.anyOf)
  return isList ? listOf(schema.anyOf) : [schema]
}

function textOf(value: JsonValue): string {
  return printValue(value ?? null)
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
const depthMax = 32
/** Each merged schema, property and required name is one unit of work. The schemas of real tools need less than 1,000. */
const workMax = 100_000
const charactersPerWork = 100
