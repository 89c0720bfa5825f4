/**
 * The JSON Schemas of the requests and responses of each operation, for `tollgate --describe`. They are copied from the
 * OpenAPI document without the examples. They have their own file, because every start of the command line reads the
 * table of operations.
 */
import { isJson, type Json } from '#http/openapi/zod-to-json-schema.ts'
import { openapiDocument } from '#http/openapi/openapi-document.ts'
import type { OperationSchemas } from '#cli/operations/operation-schemas.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'

export function operationSchemas(operations: readonly Operation[]): string {
  const { components, paths } = openapiDocument(operations, [])
  const entries = Object.values(isJson(paths) ? paths : {})
    .filter(isJson)
    .flatMap((item) => Object.values(item).filter(isJson))
  const schemas: OperationSchemas = {
    shared: plain(within(components, 'schemas')),
    operations: Object.fromEntries(entries.map((entry) => [String(entry['operationId']), ofEntry(entry)])),
  }
  // Write one schema per line, so that a change of a schema changes one line.
  return `{\n  "shared": {${linesOf(schemas.shared)}},\n  "operations": {${linesOf(schemas.operations)}}\n}\n`
}

function ofEntry(entry: Json): OperationSchemas['operations'][string] {
  const body = within(entry, 'requestBody', 'content', 'application/json', 'schema')
  const content = within(entry, 'responses', '200', 'content')
  const json = within(content, 'application/json', 'schema')
  // For a stream, use the schema of each document in it.
  const piece = Object.values(content).map((one) => within(one, 'schema', 'contentSchema'))
  return {
    body: Object.keys(body).length > 0 ? plain(body) : null,
    answer: plain(Object.keys(json).length > 0 ? json : (piece[0] ?? {})),
  }
}

function within(value: unknown, ...names: readonly string[]): Json {
  const found = names.reduce<unknown>((at, name) => (isJson(at) ? at[name] : undefined), value)
  return isJson(found) ? found : {}
}

/** The references in the schema point into the file's own list of schemas. */
function plain(schema: Json): Record<string, unknown> {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'examples' && Array.isArray(value) ? undefined : value,
  )
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/'))
}

function linesOf(values: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(values).map(([name, value]) => `\n    "${name}": ${JSON.stringify(value)}`)
  return `${lines.join(',')}\n  `
}
