/**
 * A model of the operations, as a client sees them, from the table of operations and the OpenAPI document. The SDK
 * generators share this model, and differ only in the code that prints it.
 *
 * A method accepts one flat object with the fields of the path, the query and the body. If the body and the path have a
 * field of the same name, the path's field gets the resource's name as prefix. The object then has `bundleSlug` in
 * addition to `slug`.
 */
import assert from 'node:assert/strict'
import { isJson, type Json } from '#http/openapi/zod-to-json-schema.ts'
import { openapiDocument } from '#http/openapi/openapi-document.ts'
import { takesIdempotencyKey } from '#http/errors-of-operation.ts'
import { isOfPortal } from '#http/is-served-by-portal.ts'
import { nounOf, nouns } from '#operations/kernel/list-of-nouns.ts'
import type { Method, Operation } from '#operations/kernel/declare-operation.ts'
import { fieldOf, fieldsOf, typeOf, type FieldModel, type TypeModel } from './type-model.ts'

export interface ApiModel {
  readonly nouns: readonly NounModel[]
  /** Operations without a noun, such as `margin`. */
  readonly verbs: readonly OperationModel[]
  /** Only types that several operations share. */
  readonly types: readonly NamedType[]
  readonly errorCodes: readonly ErrorModel[]
}

export interface NounModel {
  /** The noun in the IDs of operations, such as `deviceAuth`. */
  readonly name: string
  readonly description: string
  readonly operations: readonly OperationModel[]
  /** The operation that has the name of the noun, such as `usage` in addition to `usage.export`. */
  readonly itself: OperationModel | null
}

export interface OperationModel {
  /** Either `noun.verb`, or only the verb. */
  readonly id: string
  readonly noun: string
  readonly verb: string
  readonly method: Method
  /** With the names of the inputs. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly inPath: readonly FieldModel[]
  readonly inQuery: readonly FieldModel[]
  readonly body: BodyModel | null
  readonly answer: AnswerModel
  /** Whether the server recognizes a repeated request by its Idempotency-Key. */
  readonly isKeyed: boolean
  /** Whether the resource has an ETag, so that the operation accepts If-Match. */
  readonly isConditional: boolean
  readonly isForEndUsers: boolean
  readonly isExtension: boolean
  readonly errors: readonly string[]
}

export type BodyModel =
  | { readonly kind: 'fields'; readonly fields: readonly FieldModel[] }
  | { readonly kind: 'shapes'; readonly type: TypeModel }
  | { readonly kind: 'file'; readonly types: readonly string[] }

export type AnswerModel =
  | { readonly kind: 'document'; readonly type: TypeModel }
  /** The field `data` of the page contains the items. */
  | { readonly kind: 'page'; readonly item: TypeModel; readonly type: TypeModel }
  /** Documents that arrive one by one, one per line. */
  | { readonly kind: 'lines'; readonly item: TypeModel }
  /** Documents that arrive one by one, as server-sent events. Null means that events of any kind are documents. */
  | { readonly kind: 'events'; readonly item: TypeModel; readonly event: string | null }

export interface NamedType {
  readonly name: string
  readonly description: string
  readonly type: TypeModel
  /** Whether the server sends values of this type. If false, only callers send them. */
  readonly isAnswered: boolean
}

export interface ErrorModel {
  readonly code: string
  readonly status: number
  /** A sentence that may contain `{names}`. */
  readonly message: string
}

export function apiModel(
  operations: readonly Operation[],
  errors: Readonly<Record<string, { readonly status: number; readonly message: string }>>,
): ApiModel {
  // Users of the demo tier try the API without an SDK, so the demo tier is omitted.
  const document = inPlace(openapiDocument(operations, []))
  const described = describedById(document)
  const models = operations.map((operation) => {
    const entry = described.get(operation.id)
    assert(entry, `the document lacks ${operation.id}`)
    return operationModel(operation, entry)
  })
  const hasNoun = ({ id }: OperationModel): boolean => id.includes('.')
  const byNoun = Map.groupBy(models.filter(hasNoun), ({ noun }) => noun)
  const plain = models.filter((model) => !hasNoun(model))
  return {
    nouns: Object.entries(nouns).flatMap(([name, { about: description }]) => {
      const itself = plain.find(({ id }) => id === name) ?? null
      const own = byNoun.get(name)
      return own ? [{ name, description, operations: own, itself }] : []
    }),
    verbs: plain.filter(({ id }) => !byNoun.has(id)),
    types: namedTypes(document, models),
    errorCodes: Object.entries(errors).map(([code, { message, status }]) => ({ code, status, message })),
  }
}

function operationModel(operation: Operation, entry: Json): OperationModel {
  const { id } = operation
  const body = bodyOf(entry)
  const names = new Set(body === null ? [] : namesIn(body))
  const inQuery = parametersOf(entry, 'query')
  for (const { name } of inQuery) assert(!names.has(name), `${id}: ${name} is in the query and in the body`)
  // The OpenAPI document has one template for paths that differ only in the names of parameters. Use the names in the
  // operation's own path.
  const own = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const inPath = parametersOf(entry, 'path').map((field, index) => {
    const name = own[index] ?? ''
    return { ...field, name: names.has(name) ? afterResource(operation.path, name) : name }
  })
  let part = 0
  const path = operation.path.replace(/\{\w+\}/g, () => `{${inPath[part++]?.name}}`)
  const inputs = [...inPath.map(({ name }) => name), ...inQuery.map(({ name }) => name), ...names]
  assert.equal(new Set(inputs).size, inputs.length, `${id} has two inputs of one name: ${inputs.join(', ')}`)
  return {
    id,
    noun: nounOf(operation),
    verb: id.split('.')[1] ?? id,
    method: operation.method,
    path,
    summary: operation.summary,
    description: operation.description,
    inPath,
    inQuery,
    body,
    answer: answerOf(id, entry),
    isKeyed: takesIdempotencyKey(operation),
    isConditional: operation.hasRevision,
    isForEndUsers: isOfPortal(operation),
    isExtension: operation.isExtension,
    errors: operation.errors,
  }
}

/** `slug` in `/v1/bundles/{slug}/include` becomes `bundleSlug`. */
function afterResource(path: string, name: string): string {
  const before = path.split(`/{${name}}`)[0]?.split('/').at(-1) ?? ''
  const singular = before.replace(/s$/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return `${singular}${name[0]?.toUpperCase()}${name.slice(1)}`
}

/**
 * Replaces two kinds of references in the document by the schemas to which they refer. Enums are written out in their
 * fields, because only responses may contain further values. The variants of a body become its shapes, and their fields
 * become the inputs of the operation.
 */
function inPlace(document: Json): Json {
  const schemas = at(document, 'components', 'schemas')
  assert(isJson(schemas), 'the document has no schemas')
  const named = (reference: unknown): unknown =>
    typeof reference === 'string' ? schemas[reference.replace('#/components/schemas/', '')] : undefined
  const bodyVariants = new Set<unknown>()
  const replaced = (value: unknown, isBody = false): unknown => {
    if (Array.isArray(value)) return value.map((one: unknown) => replaced(one))
    if (!isJson(value)) return value
    const found = named(value['$ref'])
    if (isJson(found) && Array.isArray(found['enum'])) {
      const { $ref: _, ...about } = value
      return { ...found, ...about }
    }
    const parts = Object.entries(value).map(([name, part]) => {
      if (isBody && name === 'oneOf' && Array.isArray(part)) {
        const variants = part.filter(isJson).map((one) => {
          bodyVariants.add(named(one['$ref']))
          return replaced(named(one['$ref']) ?? one)
        })
        return [name, variants]
      }
      return [name, replaced(part, name === 'requestBody' || (isBody && isBodyPart(name)))]
    })
    return Object.fromEntries(parts)
  }
  const paths = replaced(document['paths'])
  const kept = Object.entries(schemas).filter(
    ([, schema]) => !bodyVariants.has(schema) && !Array.isArray(at(schema, 'enum')),
  )
  return { paths, components: { schemas: replaced(Object.fromEntries(kept)) } }
}

function isBodyPart(name: string): boolean {
  return ['content', 'application/json', 'schema'].includes(name)
}

function describedById(document: Json): Map<string, Json> {
  const { paths } = document
  assert(isJson(paths), 'the document has no paths')
  const entries = Object.values(paths)
    .filter(isJson)
    .flatMap((item) => Object.values(item).filter(isJson))
  return new Map(entries.map((entry) => [String(entry['operationId']), entry]))
}

function parametersOf({ parameters }: Json, place: 'path' | 'query'): FieldModel[] {
  const all: unknown[] = Array.isArray(parameters) ? parameters : []
  return all
    .filter(isJson)
    .filter((parameter) => parameter['in'] === place)
    .map(({ description, name, required, schema }) => {
      assert(isJson(schema), `the parameter ${String(name)} has no schema`)
      return fieldOf(String(name), { ...schema, description }, required === true)
    })
}

function bodyOf({ requestBody }: Json): BodyModel | null {
  if (!isJson(requestBody)) return null
  const { content } = requestBody
  assert(isJson(content), 'a body without content')
  const json = content['application/json']
  if (!isJson(json)) return { kind: 'file', types: Object.keys(content) }
  const { schema } = json
  assert(isJson(schema), 'a body without a schema')
  if (schema['type'] === 'object') return { kind: 'fields', fields: fieldsOf(schema) }
  return { kind: 'shapes', type: typeOf(schema) }
}

function namesIn(body: BodyModel): string[] {
  switch (body.kind) {
    case 'file':
      return ['file', 'type']
    case 'fields':
      return body.fields.map(({ name }) => name)
    case 'shapes': {
      const shapes = body.type.kind === 'union' ? body.type.of : [body.type]
      return [
        ...new Set(
          shapes.flatMap((shape) => (shape.kind === 'object' ? shape.fields.map(({ name }) => name) : [])),
        ),
      ]
    }
  }
}

function answerOf(id: string, { responses }: Json): AnswerModel {
  const content = at(responses, '200', 'content')
  assert(isJson(content), `${id} answers nothing that the document describes`)
  const lines = content['application/x-ndjson']
  if (isJson(lines)) return { kind: 'lines', item: typeOf(at(lines, 'schema', 'contentSchema') ?? {}) }
  const events = content['text/event-stream']
  if (isJson(events)) {
    const event = events['x-item-event']
    const item = typeOf(at(events, 'schema', 'contentSchema') ?? {})
    return { kind: 'events', item, event: typeof event === 'string' ? event : null }
  }
  const schema = at(content, 'application/json', 'schema')
  assert(isJson(schema), `${id} answers ${Object.keys(content).join(', ')}, which no client of ours reads`)
  const type = typeOf(schema)
  const fields = type.kind === 'object' ? type.fields : []
  const data = fields.find(({ name }) => name === 'data')?.type
  const isPage = data?.kind === 'list' && fields.some(({ name }) => name === 'nextCursor')
  return isPage ? { kind: 'page', item: data.item, type } : { kind: 'document', type }
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((within, name) => (isJson(within) ? within[name] : undefined), value)
}

function namedTypes(document: Json, models: readonly OperationModel[]): NamedType[] {
  const schemas = at(document, 'components', 'schemas')
  assert(isJson(schemas), 'the document has no schemas')
  const types = Object.entries(schemas)
    .filter(([name]) => name !== 'Error')
    .map(([name, schema]) => {
      const description = at(schema, 'description')
      return { name, description: typeof description === 'string' ? description : '', type: typeOf(schema) }
    })
  const byName = new Map(types.map((type) => [type.name, type.type]))
  const answered = new Set<string>()
  const follow = (type: TypeModel): void => {
    for (const name of namesOf(type)) {
      if (answered.has(name)) continue
      answered.add(name)
      follow(byName.get(name) ?? { kind: 'unknown' })
    }
  }
  for (const { answer } of models) follow('item' in answer ? answer.item : answer.type)
  return types.map((type) => ({ ...type, isAnswered: answered.has(type.name) }))
}

export function namesOf(type: TypeModel): string[] {
  switch (type.kind) {
    case 'named':
      return [type.name]
    case 'list':
      return namesOf(type.item)
    case 'map':
      return namesOf(type.value)
    case 'union':
      return type.of.flatMap(namesOf)
    case 'object':
      return type.fields.flatMap((field) => namesOf(field.type))
    default:
      return []
  }
}
