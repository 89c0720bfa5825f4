/** The parts of the OpenAPI document other than operations: shared parameters and schemas, and the plain paths. */
import { demoTenantSlugs } from '#demo/demo-tier.ts'
import { errors, type ErrorCode } from '#domain/errors.ts'
import { identityPaths } from '#domain/people/identity-provider.ts'
import type { Json } from './json-schemas.ts'

export const parameters = {
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
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The `id` of the last event that was received, of a client that comes back: what ended since is sent first.',
    schema: { type: 'string' },
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
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      '`*`: the request fails with 412 `precondition_failed` if the resource exists, so nothing is changed by mistake.',
    schema: { type: 'string' },
  },
} as const

/** Returns one response per status, listing its codes. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, Json> {
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

export const errorSchema = {
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
        docsUrl: {
          type: 'string',
          description: 'Documentation of the code, an anchor of the reference.',
          'x-tollgate-extension': true,
        },
        details: {
          type: 'object',
          description: 'The numbers and names in the message.',
          additionalProperties: true,
        },
      },
    },
  },
}

export const notImplementedSchema = {
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

export const notImplementedResponse = {
  description: '`not_implemented`',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/NotImplemented' } } },
  'x-error-codes': ['not_implemented'],
}

export const demoTenantScheme = {
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
export const plainPaths: Record<string, Record<string, Json>> = {
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
