import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { demoPaths } from '#demo/demo-paths.ts'
import { openapiDocument } from '#http/openapi/openapi-document.ts'
import { routeTable } from '#http/route-table.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'

type Json = { readonly [key: string]: unknown }

const routes = routeTable<Pick<Operation, 'id' | 'method' | 'path'>>([...operations, ...demoPaths])
const streams = new Set(operations.filter(({ streams: types }) => types.length > 0).map(({ id }) => id))
const document: Json = JSON.parse(JSON.stringify(openapiDocument(operations)))
const documentedPaths = new Map(Object.keys(document['paths'] ?? {}).map((path) => [shapeOf(path), path]))
// Optimizing the code of a schema takes longer than running the code in all tests of a process.
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
// oxlint-disable-next-line typescript/no-unsafe-call -- its types name a default that Node does not give
;(formats as unknown as (to: Ajv2020) => void)(ajv)
ajv.addSchema(closed(document) as Json, 'document')

export interface SeenAnswer {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}

/**
 * Fails, for example, if the document does not describe the status or the error code, or if a field is missing or
 * additional.
 */
export function assertDescribed({ body, method, path, status }: SeenAnswer): void {
  const pathname = new URL(path, 'http://control').pathname
  const route = routes.find(method === 'HEAD' ? 'GET' : method, pathname)
  if (route.kind !== 'found' || method === 'HEAD') return
  const { operation } = route
  const about = (): string => `${method} ${path} answered ${status}: ${JSON.stringify(body)?.slice(0, 2000)}`
  const described = documentedPaths.get(shapeOf(operation.path)) ?? operation.path
  const responses = at(document, 'paths', described, operation.method.toLowerCase(), 'responses')
  const response = at(responses, String(status))
  if (response === undefined)
    assert.fail(`the document of ${operation.id} has no status ${status}; ${about()}`)
  if (status !== 200) {
    const code = at(body, 'error', 'code')
    const codes = at(response, 'x-error-codes')
    if (!Array.isArray(codes) || !codes.includes(code))
      assert.fail(`${operation.id} does not declare ${String(code)}; ${about()}`)
  }
  // Other tests check the text of streams. valid-request-to-every-operation.test.ts checks the media type of the
  // stream.
  if (status === 200 && streams.has(operation.id)) return
  const place = ['paths', described, operation.method.toLowerCase(), 'responses', String(status)]
  // The validator compiles each schema once.
  const reference = at(response, 'content', 'application/json', 'schema', '$ref')
  const pointer =
    typeof reference === 'string'
      ? reference
      : `#/${[...place, 'content', 'application/json', 'schema'].map(escaped).join('/')}`
  const validate = ajv.getSchema(`document${pointer}`)
  assert(validate, `the document has no schema at ${pointer}`)
  if (!validate(body)) assert.fail(`${ajv.errorsText(validate.errors)}; ${about()}`)
}

/** The document treats paths that differ only in the names of their parameters as one path. */
function shapeOf(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}')
}

/**
 * An object that lists its fields accepts no other fields here, so a returned field without a description is a fault.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, part]) => [name, closed(part)] as const)
  const isOpen = 'properties' in value && 'type' in value && !('additionalProperties' in value)
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) }
}

function at(from: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    from,
  )
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}
