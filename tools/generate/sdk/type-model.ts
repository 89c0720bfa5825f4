/**
 * Converts JSON Schema into a form that does not depend on a programming language. Supports only the features of JSON
 * Schema that the document uses. Any other feature causes an error, so that no client has an `unknown` type.
 */
import assert from 'node:assert/strict'
import { isJson, type Json } from '#http/openapi/zod-to-json-schema.ts'

export type TypeModel =
  | { readonly kind: 'text' | 'boolean' | 'integer' | 'number' | 'null' | 'unknown' }
  /** An integer of any size, written as a decimal string. */
  | { readonly kind: 'amount' }
  /** In ISO 8601. */
  | { readonly kind: 'time' | 'day' }
  /** Servers of newer versions may return words that are not in this list. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  | { readonly kind: 'list'; readonly item: TypeModel }
  | { readonly kind: 'map'; readonly value: TypeModel }
  | { readonly kind: 'object'; readonly fields: readonly FieldModel[] }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'union'; readonly of: readonly TypeModel[] }

export interface FieldModel {
  readonly name: string
  readonly type: TypeModel
  readonly isRequired: boolean
  /** Sentences about the meaning, unit, range and default of the field. */
  readonly description: string
  readonly isDeprecated: boolean
}

export function typeOf(schema: unknown): TypeModel {
  assert(isJson(schema), `no schema: ${JSON.stringify(schema)}`)
  const { $ref, anyOf, oneOf, const: constant, enum: words, type } = schema
  if (typeof $ref === 'string') return { kind: 'named', name: $ref.replace('#/components/schemas/', '') }
  const either = anyOf ?? oneOf
  if (Array.isArray(either)) return unionOf(either.map(typeOf))
  if (isConstant(constant)) return { kind: 'constant', value: constant }
  if (Array.isArray(words)) return wordsOf(words)
  if (Array.isArray(type)) return unionOf(type.map((one: unknown) => typeOf({ ...schema, type: one })))
  switch (type) {
    case 'string':
      return textOf(schema)
    case 'boolean':
    case 'integer':
    case 'number':
    case 'null':
      return { kind: type }
    case 'array':
      return { kind: 'list', item: typeOf(schema['items'] ?? {}) }
    case 'object':
      return objectOf(schema)
    case undefined:
      return { kind: 'unknown' }
    default:
      throw new Error(`tools/generate/sdk/type-model.ts does not know this schema: ${JSON.stringify(schema)}`)
  }
}

export function fieldsOf(schema: Json): FieldModel[] {
  const { properties, required } = schema
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.entries(isJson(properties) ? properties : {}).map(([name, property]) =>
    fieldOf(name, property, names.has(name)),
  )
}

export function fieldOf(name: string, schema: unknown, isRequired: boolean): FieldModel {
  assert(isJson(schema), `no schema of ${name}`)
  const { default: otherwise, deprecated, description } = schema
  const sentences = [
    typeof description === 'string' ? description : '',
    rangeOf(schema),
    isRequired || otherwise === undefined || hasDefaultIn(description)
      ? ''
      : `Defaults to \`${typeof otherwise === 'string' ? otherwise : JSON.stringify(otherwise)}\`.`,
  ]
  return {
    name,
    type: typeOf(schema),
    isRequired,
    description: sentences.filter((sentence) => sentence !== '').join(' '),
    isDeprecated: deprecated === true,
  }
}

function hasDefaultIn(description: unknown): boolean {
  return typeof description === 'string' && /\bdefaults to\b/i.test(description)
}

function textOf({ format, pattern }: Json): TypeModel {
  if (format === 'date-time') return { kind: 'time' }
  if (format === 'date') return { kind: 'day' }
  if (typeof pattern === 'string' && isOfDigits(pattern)) return { kind: 'amount' }
  return { kind: 'text' }
}

function isOfDigits(pattern: string): boolean {
  const expression = new RegExp(pattern)
  return expression.test('123456789012345') && !/[a-zA-Z]/.test(pattern) && !expression.test('1.5')
}

function wordsOf(words: readonly unknown[]): TypeModel {
  const texts = words.filter((word) => typeof word === 'string')
  const known: TypeModel = { kind: 'words', words: texts }
  return texts.length === words.length ? known : unionOf([known, { kind: 'null' }])
}

function objectOf(schema: Json): TypeModel {
  const { additionalProperties, properties } = schema
  if (isJson(properties) && Object.keys(properties).length > 0) {
    return { kind: 'object', fields: fieldsOf(schema) }
  }
  return {
    kind: 'map',
    value: isJson(additionalProperties) ? typeOf(additionalProperties) : { kind: 'unknown' },
  }
}

/**
 * Null comes last. A day is omitted if the union contains a time, and a word is omitted if the union contains a text.
 */
function unionOf(types: readonly TypeModel[]): TypeModel {
  const all = types.flatMap((type) => (type.kind === 'union' ? type.of : [type]))
  const has = (kind: TypeModel['kind']): boolean => all.some((type) => type.kind === kind)
  const flat = all.filter(
    ({ kind }) =>
      !(kind === 'day' && has('time')) && !((kind === 'constant' || kind === 'words') && has('text')),
  )
  const different = [...new Map(flat.map((type) => [JSON.stringify(type), type])).values()]
  const [first, ...more] = different.toSorted(
    (one, other) => Number(one.kind === 'null') - Number(other.kind === 'null'),
  )
  assert(first, 'a union of nothing')
  return more.length === 0 ? first : { kind: 'union', of: [first, ...more] }
}

function isConstant(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** '' if the schema has no limits. */
function rangeOf(schema: Json): string {
  const sentences = [schema, ...branchesOf(schema)].map(ownRange).filter((sentence) => sentence !== '')
  // A value that may be a day or a time would have two sentences.
  return sentences.length > 1 ? 'ISO 8601.' : (sentences[0] ?? '')
}

function branchesOf({ anyOf, oneOf }: Json): Json[] {
  const branches: unknown[] = [anyOf, oneOf].flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
  return branches.filter(isJson)
}

function ownRange(schema: Json): string {
  const { format, maxItems, maxLength, maximum, minItems, minLength, minimum, pattern, type } = schema
  const types = Array.isArray(type) ? type : [type]
  if (types.includes('string')) {
    if (format === 'date') return 'A day, like 2026-11-20 (UTC).'
    if (format === 'date-time') return 'ISO 8601.'
    if (typeof pattern === 'string' && isOfDigits(pattern)) return 'An integer as a decimal string.'
    return typeof maxLength === 'number' ? `${span(minLength ?? 0, maxLength)} characters.` : ''
  }
  if (types.includes('array'))
    return typeof maxItems === 'number' ? `${span(minItems ?? 0, maxItems)} of them.` : ''
  if (!types.includes('integer') && !types.includes('number')) return ''
  const hasMaximum = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER
  const hasMinimum = typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER
  if (hasMinimum && hasMaximum) return `From ${minimum} to ${maximum}.`
  return hasMinimum && minimum > 0 ? `From ${minimum}.` : ''
}

function span(least: unknown, most: number): string {
  if (least === most) return `Exactly ${most}`
  return least === 0 ? `At most ${most}` : `${String(least)} to ${most}`
}
