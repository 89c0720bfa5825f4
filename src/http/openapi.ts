/**
 * The OpenAPI document, made from the mounted operations: it describes exactly what is served.
 *
 * Requests and answers are described with `io: 'input'`: a codec's wire side is its input side, and answers
 * are encoded back through the same codec (ARCHITECTURE.md).
 */
import assert from 'node:assert/strict'
import * as z from 'zod'
import examples from './examples.json' with { type: 'json' }
import { demoPaths } from '#demo/demo-paths.ts'
import { demoTenantSlugs } from '#demo/demo-tier.ts'
import type { DemoPath } from '#demo/demo-operation.ts'
import manifest from '#package.json' with { type: 'json' }
import { errors, type ErrorCode } from '#domain/errors.ts'
import { nounOf, nouns } from '#operations/index.ts'
import type { Operation } from '#operations/operation.ts'
import { sessionCookieName } from './authenticate.ts'
import { identityPaths } from './identity-routes.ts'
import { demoErrorsOf, errorsOf, takesIdempotencyKey } from './operation-errors.ts'
import { portalCookie } from './portal-session.ts'

type Json = { readonly [key: string]: unknown }

const title = 'Tollgate control plane'

/** What tests/control/samples.test.ts sent and got; a secret in it is replaced. */
const examplesById: Readonly<Record<string, { readonly request?: unknown; readonly response: unknown }>> =
  examples

/** @param demo the paths of the demo tier; none where it is not served */
export function openapiDocument(
  operations: readonly Operation[],
  demo: readonly DemoPath[] = demoPaths,
): Json {
  const schemas = new Schemas()
  const paths: Record<string, Record<string, Json>> = {}
  const templates = new Map<string, string>()
  for (const operation of operations) {
    // Two templates that differ in the names of their parameters are one path to OpenAPI.
    const shape = operation.path.replaceAll(/\{\w+\}/g, '{}')
    const template = templates.getOrInsert(shape, operation.path)
    const path = (paths[template] ??= {})
    const alsoDemo = demo.find(({ method, path: at }) => method === operation.method && at === operation.path)
    path[operation.method.toLowerCase()] = operationObject(operation, namesIn(template), schemas, alsoDemo)
  }
  for (const demoPath of demo) {
    const path = (paths[demoPath.path] ??= {})
    path[demoPath.method.toLowerCase()] ??= demoOperationObject(demoPath, schemas)
  }
  for (const [path, item] of Object.entries(plainPaths)) paths[path] = item
  const mounted = new Set(operations.map(nounOf))
  const tags = Object.entries({
    ...nouns,
    demo: 'Fixtures of two tenants, for trying the API without an account.',
    service: 'The process itself, without a credential.',
  })
  return {
    openapi: '3.1.0',
    info: {
      title,
      // Published as it is, whatever the version of the program.
      version: '0.0.0',
      'x-tollgate-version': manifest.version,
      description:
        'Configure applications, provider accounts, model names, bundles, end users and keys, and read what was spent. Amounts are integer micros (millionths of a dollar) as decimal strings. Unknown fields are refused.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tags
      .filter(([name]) => name === 'service' || mounted.has(name) || (name === 'demo' && demo.length > 0))
      .map(([name, description]) => ({ name, description })),
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An `sk_` token of the organization.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName,
          description:
            'The cookie of a person who has signed in. A request that is not a GET needs `x-csrf-token` besides, and comes from a page of this host.',
        },
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
        ...(demo.length > 0 && { demoTenant: demoTenantScheme }),
      },
      parameters,
      schemas: {
        Error: errorSchema,
        ...(demo.length > 0 && { NotImplemented: notImplementedSchema }),
        ...schemas.named(),
      },
    },
  }
}

/** The names of the parameters in a path, in order. */
function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/**
 * @param names of the parameters in the path under which the operation is described
 * @param demo what the demo tier does at the same method and path, for a request that names a tenant
 */
function operationObject(
  operation: Operation,
  names: readonly string[],
  schemas: Schemas,
  demo?: DemoPath,
): Json {
  const isWrite = operation.method !== 'GET'
  const isOfTeam = operation.scope === 'organization' || operation.scope === 'application'
  const { body } = operation.input
  const output = schemas.of(operation.output)
  const example = examplesById[operation.id]
  return {
    operationId: operation.id,
    tags: [nounOf(operation)],
    summary: operation.summary,
    description: demo ? `${operation.description}\n\n${inDemoTier(demo)}` : operation.description,
    ...(demo && { security: [{ token: [] }, { demoTenant: [] }] }),
    parameters: [
      ...pathParameters(operation, names, schemas),
      ...parametersOf(schemas.of(operation.input.query), 'query'),
      ...(operation.scope === 'application' ? [reference('App')] : []),
      ...(isOfTeam ? [reference('Mode')] : []),
      ...(takesIdempotencyKey(operation) ? [reference('IdempotencyKey')] : []),
      ...(operation.hasRevision ? [reference('IfMatch')] : []),
      ...(isWrite && operation.scope !== 'public' ? [reference('CsrfToken')] : []),
    ],
    ...(operation.upload && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          operation.upload.types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
        ),
      },
    }),
    ...(body &&
      operation.upload === null && {
        requestBody: {
          required: !body.safeParse({}).success,
          content: {
            'application/json': {
              schema: schemas.of(body),
              ...(example?.request !== undefined && { example: example.request }),
            },
          },
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
        content: {
          'application/json': {
            schema: demo?.kind === 'built' ? { anyOf: [output, schemas.of(demo.output)] } : output,
            ...(example !== undefined && { example: example.response }),
          },
        },
      },
      ...errorResponses([...errorsOf(operation), ...(demo ? demoErrorsOf(demo) : [])]),
      ...(demo?.kind === 'not_built' && { '501': notImplementedResponse }),
    },
    ...(operation.isForPeople && { security: [{ session: [] }] }),
    ...(operation.scope === 'public' && { security: [] }),
    ...(operation.scope === 'end_user' && { security: [{ portalCookie: [] }, { portalSession: [] }] }),
    ...(isOfTeam && { 'x-least-role': operation.leastRole }),
    ...(operation.isExtension && { 'x-tollgate-extension': true }),
  }
}

/** A path that only the demo tier has. */
function demoOperationObject(demo: DemoPath, schemas: Schemas): Json {
  const { description, id, summary } = demo
  const described = { operationId: id, tags: ['demo'], summary, description }
  if (demo.kind === 'not_built') {
    return {
      ...described,
      security: [],
      parameters: parametersOf(schemas.of(z.strictObject(demo.parameters)), 'path'),
      responses: {
        ...errorResponses([...demoErrorsOf(demo), 'no_such_path']),
        '501': notImplementedResponse,
      },
    }
  }
  return {
    ...described,
    security: [{ demoTenant: [] }],
    parameters: parametersOf(schemas.of(demo.input.query), 'query'),
    responses: {
      '200': {
        description: 'Done.',
        content: { 'application/json': { schema: schemas.of(demo.output) } },
      },
      ...errorResponses([...demoErrorsOf(demo), 'no_such_path']),
    },
  }
}

function inDemoTier({ description, kind }: DemoPath): string {
  const sentence = kind === 'not_built' ? 'It is not built there.' : description
  return `**Demo tier** (header \`x-demo-tenant\` in place of a token). ${sentence}`
}

/** One response per status, naming the codes that share it. */
function errorResponses(codes: readonly ErrorCode[]): Record<string, Json> {
  const statuses = Map.groupBy(new Set(codes), (code) => errors[code].status)
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

function pathParameters({ input, path }: Operation, names: readonly string[], schemas: Schemas): Json[] {
  const own = namesIn(path)
  return parametersOf(schemas.of(input.path), 'path').map((parameter) => ({
    ...parameter,
    name: names[own.indexOf(String(parameter['name']))],
  }))
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
    description:
      'With the cookie of a session only: its `csrfToken`, of the sign-in or of sessions.current, of portal.redeem or of portal.account. Proves that a page of this host asks.',
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

const notImplementedSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'issue'],
      properties: {
        code: { type: 'string', enum: ['not_implemented'] },
        issue: { type: 'string', description: 'The issue that will build it.' },
      },
    },
  },
}

const notImplementedResponse = {
  description: '`not_implemented`',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/NotImplemented' } } },
  'x-error-codes': ['not_implemented'],
}

const demoTenantScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'x-demo-tenant',
  description: `Slug of a tenant of the demo tier, ${demoTenantSlugs.join(' or ')}: fixtures that anyone may read. It stands in for the token; both are refused.`,
}

const healthSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['ok'] } },
}

function redirectOperation(
  operationId: string,
  summary: string,
  description: string,
  query: Readonly<Record<string, string>>,
): Json {
  return {
    operationId,
    tags: ['sessions'],
    summary,
    description,
    security: [],
    'x-tollgate-extension': true,
    parameters: Object.entries(query).map(([name, about]) => ({
      name,
      in: 'query',
      description: about,
      schema: { type: 'string' },
    })),
    responses: {
      '303': {
        description: 'On to the next page.',
        headers: { location: { schema: { type: 'string' }, description: 'Address of the next page.' } },
      },
      ...errorResponses([
        'rate_limited',
        'no_identity_provider',
        'identity_provider_failed',
        'not_on_team',
        'internal',
        'store_unavailable',
      ]),
    },
  }
}

/** Paths that need no credential and are not operations. */
const plainPaths: Record<string, Record<string, Json>> = {
  [identityPaths.begin]: {
    get: redirectOperation(
      'sessions.oidc',
      'Sign in by the identity provider',
      'For browsers: leads to the provider and back. A person joins who is on the team, or is invited, with the address that the provider vouches for.',
      { returnPath: 'Path of this host to end at; `/` when left out.' },
    ),
  },
  [identityPaths.finish]: {
    get: redirectOperation(
      'sessions.oidcCallback',
      'Come back from the identity provider',
      'For browsers, sent here by the provider: sets the cookie of the session, and leads on.',
      { code: 'The code of the provider.', state: 'The state of the sign-in.' },
    ),
  },
  '/health': {
    get: plainOperation(
      'health.live',
      'Tell that the process lives',
      'Says nothing about the store.',
      healthSchema,
    ),
  },
  '/favicon.ico': {
    get: plainOperation(
      'favicon',
      'Show the icon',
      'The icon of this host.',
      { type: 'string' },
      'image/svg+xml',
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

function plainOperation(
  operationId: string,
  summary: string,
  description: string,
  schema: Json,
  mediaType = 'application/json',
): Json {
  return {
    operationId,
    tags: ['service'],
    summary,
    description,
    security: [],
    responses: {
      '200': { description: 'Done.', content: { [mediaType]: { schema } } },
      ...errorResponses(['unknown_host']),
    },
  }
}
