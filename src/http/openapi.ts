/**
 * The OpenAPI document, made from the mounted operations: it describes exactly what is served.
 *
 * Requests and answers are described with `io: 'input'`: a codec's wire side is its input side, and answers
 * are encoded back through the same codec (ARCHITECTURE.md).
 */
import assert from 'node:assert/strict'
import * as z from 'zod'
import manifest from '#package.json' with { type: 'json' }
import { errors, type ErrorCode } from '#domain/errors.ts'
import { nounOf } from '#operations/index.ts'
import type { Operation } from '#operations/operation.ts'
import { errorsOf, takesIdempotencyKey } from './operation-errors.ts'
import { portalCookie } from './portal-session.ts'

type Json = { readonly [key: string]: unknown }

const title = 'Tollgate control plane'

export function openapiDocument(operations: readonly Operation[]): Json {
  const schemas = new Schemas()
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {})
    path[operation.method.toLowerCase()] = operationObject(operation, schemas)
  }
  for (const [path, item] of Object.entries(plainPaths)) paths[path] = item
  const tags = [...new Set([...operations.map(nounOf), 'service'])]
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: manifest.version,
      description:
        'Configure applications, provider accounts, model names, bundles, end users and keys, and read what was spent. Amounts are integer micros (millionths of a dollar) as decimal strings. Unknown fields are refused.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tags.map((name) => ({ name })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An `sk_` token of the organization.' },
        portalCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: portalCookie,
          description: "A person's session at the host of the application's portal.",
        },
        portalSession: {
          type: 'http',
          scheme: 'bearer',
          description: "A person's session at the control plane: the `ps_` secret of portal.redeem.",
        },
      },
      parameters,
      schemas: { Error: errorSchema, ...schemas.named() },
    },
  }
}

function operationObject(operation: Operation, schemas: Schemas): Json {
  const isWrite = operation.method !== 'GET'
  const isOfTeam = operation.scope === 'organization' || operation.scope === 'application'
  const { body } = operation.input
  return {
    operationId: operation.id,
    tags: [nounOf(operation)],
    summary: operation.summary,
    description: operation.description,
    parameters: [
      ...parametersOf(schemas.of(operation.input.path), 'path'),
      ...parametersOf(schemas.of(operation.input.query), 'query'),
      ...(operation.scope === 'application' ? [reference('App')] : []),
      ...(isOfTeam ? [reference('Mode')] : []),
      ...(takesIdempotencyKey(operation) ? [reference('IdempotencyKey')] : []),
      ...(isWrite && operation.hasRevision ? [reference('IfMatch')] : []),
      ...(isWrite && operation.scope === 'end_user' ? [reference('CsrfToken')] : []),
    ],
    ...(operation.upload && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          operation.upload.types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
        ),
      },
    }),
    ...(body && operation.upload === null && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: schemas.of(body) } },
      },
    }),
    responses: {
      '200': {
        description: operation.answersSecret ? 'Done. The secret is shown this once.' : 'Done.',
        headers: {
          'x-request-id': { schema: { type: 'string' }, description: 'Id of this request, `req_…`.' },
          ...(operation.hasRevision && {
            etag: { schema: { type: 'string' }, description: 'What the configuration is now, for If-Match.' },
          }),
        },
        content: { 'application/json': { schema: schemas.of(operation.output) } },
      },
      ...errorResponses(errorsOf(operation)),
    },
    ...(operation.scope === 'public' && { security: [] }),
    ...(operation.scope === 'end_user' && { security: [{ portalCookie: [] }, { portalSession: [] }] }),
    ...(isOfTeam && { 'x-least-role': operation.leastRole }),
    ...(operation.isExtension && { 'x-tollgate-extension': true }),
  }
}

/** One response per status, naming the codes that share it. */
function errorResponses(codes: readonly ErrorCode[]): Record<string, Json> {
  const statuses = Map.groupBy(codes, (code) => errors[code].status)
  const sorted = [...statuses].toSorted(([one], [other]) => one - other)
  return Object.fromEntries(
    sorted.map(([status, sharing]) => [
      String(status),
      {
        description: sharing.map((code) => `\`${code}\``).join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        'x-error-codes': sharing,
      },
    ]),
  )
}

function parametersOf({ properties, required }: Json, place: 'path' | 'query'): Json[] {
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.entries(isJson(properties) ? properties : {}).map(([name, property]) => {
    const { description, ...rest } = isJson(property) ? property : {}
    return {
      name,
      in: place,
      required: place === 'path' || names.has(name),
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

/** zod schemas as JSON Schema; those with an `id` are said once, under components. */
class Schemas {
  readonly #named = new Map<string, Json>()

  of(schema: z.ZodType): Json {
    const {
      $schema: _,
      $defs,
      ...json
    }: Json = z.toJSONSchema(schema, {
      io: 'input',
      target: 'draft-2020-12',
      override({ jsonSchema }) {
        // zod's pattern for times repeats the format in 300 characters.
        if (jsonSchema.format === 'date-time' || jsonSchema.format === 'email') delete jsonSchema.pattern
        // `readonly()` is for TypeScript; in a schema it would forbid sending the field.
        delete jsonSchema.readOnly
      },
    })
    for (const [name, definition] of Object.entries(isJson($defs) ? $defs : {})) {
      assert(isJson(definition), `the schema ${name} is not an object`)
      const { id: __, ...body } = definition
      const hoisted = withComponentReferences(body)
      assert.deepEqual(this.#named.get(name) ?? hoisted, hoisted, `two schemas have the name ${name}`)
      this.#named.set(name, hoisted)
    }
    return withComponentReferences(json)
  }

  named(): Record<string, Json> {
    return Object.fromEntries([...this.#named].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }
}

function withComponentReferences(json: Json): Json {
  const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')
  const parsed: Json = JSON.parse(text)
  return parsed
}

function reference(name: keyof typeof parameters): Json {
  return { $ref: `#/components/parameters/${name}` }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

const parameters = {
  App: {
    name: 'x-svc-app',
    in: 'header',
    description:
      'Slug of the application that is meant. Left out: the one that the token made active, else the only one there is.',
    schema: { type: 'string' },
  },
  Mode: {
    name: 'x-svc-mode',
    in: 'header',
    description: 'Live or test data: which of the two is read or changed.',
    schema: { type: 'string', enum: ['live', 'test'], default: 'live' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repeat safe for a day: the same key and request get the first answer again, with `idempotent-replayed: true`. A key is one of its organization, application, mode and operation. Refusals are not kept.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  CsrfToken: {
    name: 'x-csrf-token',
    in: 'header',
    description: 'The `csrfToken` of the session; needed where the session is a cookie.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETag that the configuration must still have.',
    schema: { type: 'string' },
  },
} as const

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { type: 'string', enum: Object.keys(errors), description: 'Stable; what programs look at.' },
        message: { type: 'string', description: 'What is wrong and what to do, for people.' },
        param: { type: 'string', description: 'The field at fault, as it was sent.' },
        requestId: { type: 'string', description: 'Id of this request, `req_…`.' },
        details: {
          type: 'object',
          description: 'The numbers and names in the message.',
          additionalProperties: true,
        },
      },
    },
  },
}

const healthSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['ok'] } },
}

/** Paths that need no credential and are not operations. */
const plainPaths: Record<string, Record<string, Json>> = {
  '/health': {
    get: plainOperation(
      'health.live',
      'Tell that the process lives',
      'Says nothing about the store.',
      healthSchema,
    ),
  },
  '/v1/openapi.json': {
    get: plainOperation('openapi', 'Show this document', 'The OpenAPI 3.1 description of what is served.', {
      type: 'object',
      required: ['openapi', 'info'],
      properties: {
        openapi: { type: 'string' },
        info: {
          type: 'object',
          required: ['title', 'version'],
          properties: { title: { type: 'string' }, version: { type: 'string' } },
        },
      },
      additionalProperties: true,
    }),
  },
}

function plainOperation(operationId: string, summary: string, description: string, schema: Json): Json {
  return {
    operationId,
    tags: ['service'],
    summary,
    description,
    security: [],
    responses: { '200': { description: 'Done.', content: { 'application/json': { schema } } } },
  }
}
