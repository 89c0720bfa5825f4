/** The OpenAPI document is generated from the mounted operations, so that it describes exactly the served API. */
import * as z from 'zod'
import examples from './examples.json' with { type: 'json' }
import { demoPaths } from '#demo/demo-paths.ts'
import type { DemoPath } from '#demo/demo-operation.ts'
import manifest from '#package.json' with { type: 'json' }
import { nounOf, nouns } from '#operations/kernel/list-of-nouns.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { sessionCookieName } from '#http/authenticate-caller.ts'
import { isJson, Schemas, type Json } from './zod-to-json-schema.ts'
import { enumSchemas, withEnumReferences } from './shared-enums.ts'
import {
  demoTenantScheme,
  errorResponses,
  errorSchema,
  notImplementedResponse,
  notImplementedSchema,
  parameters,
  plainPaths,
} from './common-schemas-and-paths.ts'
import { demoErrorsOf, errorsOf, takesIdempotencyKey } from '#http/errors-of-operation.ts'
import { portalCookie } from '#http/authenticate-end-user.ts'

const title = 'Tollgate control plane'

/** Recorded by tests/control-plane/valid-request-to-every-operation.test.ts, which replaces secrets. */
const examplesById: Readonly<Record<string, { readonly request?: unknown; readonly response: unknown }>> =
  examples

/** @param demo empty if this server has no demo tier */
export function openapiDocument(
  operations: readonly Operation[],
  demo: readonly DemoPath[] = demoPaths,
): Json {
  const schemas = new Schemas()
  const paths: Record<string, Record<string, Json>> = {}
  const templates = new Map<string, string>()
  for (const operation of operations) {
    // In OpenAPI, two path templates that differ only in the names of parameters count as equal.
    const shape = operation.path.replaceAll(/\{\w+\}/g, '{}')
    const template = templates.get(shape) ?? operation.path
    templates.set(shape, template)
    const path = (paths[template] ??= {})
    const alsoDemo = demo.find(({ method, path: at }) => method === operation.method && at === operation.path)
    path[operation.method.toLowerCase()] = operationObject(operation, namesIn(template), schemas, alsoDemo)
  }
  for (const demoPath of demo) {
    const path = (paths[demoPath.path] ??= {})
    path[demoPath.method.toLowerCase()] ??= demoOperationObject(demoPath, schemas)
  }
  for (const [path, item] of Object.entries(plainPaths)) paths[path] = item
  const mounted = new Set<string>(operations.map(nounOf))
  const tags = [
    ...Object.entries(nouns).map(([name, { about }]) => [name, about] as const),
    ['demo', 'Sample data of two tenants, to try the API without an account.'],
    [
      'service',
      'Health checks, API description and icon of the server. These operations need no credential.',
    ],
  ]
  return {
    openapi: '3.1.0',
    info: {
      title,
      // Releases of the program do not change the version of the document.
      version: '0.0.0',
      'x-tollgate-version': manifest.version,
      description:
        'Configure applications, provider accounts, model names, bundles, end users and keys, and read usage and spending. Amounts are integers in micros (millionths of a dollar), sent as decimal strings. Unknown fields are rejected.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tags
      .filter(([name]) => name === 'service' || mounted.has(name) || (name === 'demo' && demo.length > 0))
      .map(([name, description]) => ({ name, description })),
    security: [{ token: [] }, { session: [] }],
    paths: withEnumReferences(paths),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An `sk_` token of the organization.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName,
          description:
            'Session cookie of a signed-in member. Requests other than GET also need `x-csrf-token`, and must come from a page of this host.',
        },
        portalCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: portalCookie,
          description: "Session cookie of an end user, on the host of the application's portal.",
        },
        portalSession: {
          type: 'http',
          scheme: 'bearer',
          description: 'Session of an end user on the control plane: the `ps_` secret from portal.redeem.',
        },
        ...(demo.length > 0 && { demoTenant: demoTenantScheme }),
      },
      parameters,
      schemas: {
        Error: errorSchema,
        ...(demo.length > 0 && { NotImplemented: notImplementedSchema }),
        ...withEnumReferences(schemas.named()),
        ...enumSchemas(),
      },
    },
  }
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/**
 * @param names the parameters of the path under which the operation is described
 * @param demo the demo tier's operation with the same method and path, which handles requests that name a tenant
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
  const output = operation.streams.length > 0 ? {} : schemas.of(operation.output)
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
      ...(isOfTeam ? [reference('ModeHeader')] : []),
      ...(takesIdempotencyKey(operation) ? [reference('IdempotencyKey')] : []),
      ...(operation.hasRevision ? [reference('IfMatch')] : []),
      ...(operation.hasRevision && operation.method === 'PUT' ? [reference('IfNoneMatch')] : []),
      ...(operation.streams.some(({ mediaType }) => mediaType === 'text/event-stream')
        ? [reference('LastEventId')]
        : []),
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
        description: operation.answersSecret ? 'Success. The secret is returned once.' : 'Success.',
        headers: {
          'x-request-id': { schema: { type: 'string' }, description: 'ID of the request, `req_…`.' },
          ...(operation.hasRevision && {
            etag: { schema: { type: 'string' }, description: 'ETag of the resource, for If-Match.' },
          }),
        },
        content:
          operation.streams.length > 0
            ? streamedContent(operation, schemas)
            : {
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

/**
 * The schema of the whole response is a string. `contentSchema` describes one row, or the data of one event (OpenAPI
 * 3.2 has `itemSchema` for this purpose). `x-item-event` is the `event` field of these events.
 */
function streamedContent({ id, streams }: Operation, schemas: Schemas): Json {
  return Object.fromEntries(
    streams.map(({ description, event, item, mediaType }, at) => [
      mediaType,
      {
        schema: {
          type: 'string',
          description,
          contentMediaType: 'application/json',
          contentSchema: schemas.of(item),
        },
        ...(at === 0 && examplesById[id] && { example: examplesById[id].response }),
        ...(event !== undefined && { 'x-item-event': event }),
      },
    ]),
  )
}

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
        description: 'Success.',
        content: { 'application/json': { schema: schemas.of(demo.output) } },
      },
      ...errorResponses([...demoErrorsOf(demo), 'no_such_path']),
    },
  }
}

function inDemoTier({ description, kind }: DemoPath): string {
  const sentence = kind === 'not_built' ? 'The demo tier does not implement this operation.' : description
  return `**Demo tier** (header \`x-demo-tenant\` in place of a token). ${sentence}`
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

function reference(name: keyof typeof parameters): Json {
  return { $ref: `#/components/parameters/${name}` }
}
