/**
 * The parts of the OpenAPI document that do not describe operations: shared parameters and schemas, and the paths that
 * are not operations.
 */
import { demoTenantSlugs } from '#demo/demo-tier.ts'
import { errors, type ErrorCode } from '#domain/errors.ts'
import { identityPaths } from '#domain/people/identity-provider-interface.ts'
import type { Json } from './zod-to-json-schema.ts'

export const parameters = {
  App: {
    name: 'x-svc-app',
    in: 'header',
    description:
      'Slug of the application. Defaults to the active application of the token, or to the only application.',
    schema: { type: 'string' },
  },
  ModeHeader: {
    name: 'x-svc-mode',
    in: 'header',
    description: 'Mode of the data to read or change: live or test.',
    schema: { type: 'string', enum: ['live', 'test'], default: 'live' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe for one day. A repeated request with the same key returns the first response again, with `idempotent-replayed: true`. An idempotency key is valid for one organization, application, mode and operation. Keys of signed-in members are separate in operations that require a session. The response of a rejected request is not stored, so a retry is processed again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      '`id` of the last event that the client received. After a reconnect, the events that the client missed are sent first.',
    schema: { type: 'string' },
  },
  CsrfToken: {
    name: 'x-csrf-token',
    in: 'header',
    description:
      'CSRF token of the session, from the field `csrfToken`. Required for changes with a session cookie. A sign-in, sessions.current, portal.redeem and portal.account return the token.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'ETag that the resource must still have. If the ETag differs, the request fails with 412 `precondition_failed`.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'Set to `*` so that the request can only create a resource. If the resource exists, the request fails with 412 `precondition_failed`.',
    schema: { type: 'string' },
  },
} as const

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
        code: { type: 'string', enum: Object.keys(errors), description: 'Stable error code for programs.' },
        message: { type: 'string', description: 'Cause of the error and how to fix it, in plain English.' },
        param: { type: 'string', description: 'Name of the invalid field, as it was sent.' },
        requestId: { type: 'string', description: 'ID of the request, `req_…`.' },
        docsUrl: {
          type: 'string',
          description: "URL of the error code's documentation.",
          'x-tollgate-extension': true,
        },
        details: {
          type: 'object',
          description: 'Numbers and names that appear in the error message.',
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
        issue: { type: 'string', description: 'ID of the issue that tracks the missing operation.' },
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
  description: `Slug of a tenant of the demo tier: ${demoTenantSlugs.join(' or ')}. Demo data is public. The header replaces the token. A request with the header and a token is rejected.`,
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
        description: 'Redirect to the next page.',
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

export const plainPaths: Record<string, Record<string, Json>> = {
  [identityPaths.begin]: {
    get: redirectOperation(
      'sessions.oidc',
      'Sign in with the identity provider',
      'Redirects a browser to the identity provider. After the sign-in, the provider redirects the browser back. Team members and invited members can sign in if the provider has verified their email address.',
      { returnPath: 'Path on this host to open after the sign-in. Defaults to `/`.' },
    ),
  },
  [identityPaths.finish]: {
    get: redirectOperation(
      'sessions.oidcCallback',
      'Complete the identity provider sign-in',
      'Sets the session cookie and redirects to the requested page. The identity provider sends the browser to this address.',
      {
        code: 'Authorization code of the identity provider.',
        state: 'Value of `state` that the server sent to the identity provider.',
      },
    ),
  },
  '/health': {
    get: plainOperation(
      'health.live',
      'Check that the process runs',
      'Returns 200 while the process runs. The check does not include the database.',
      healthSchema,
    ),
  },
  '/favicon.ico': {
    get: plainOperation(
      'favicon',
      'Get the icon',
      'Returns the icon of this host.',
      { type: 'string' },
      'image/svg+xml',
    ),
  },
  '/v1/openapi.json': {
    get: plainOperation(
      'openapi',
      'Get the OpenAPI document',
      'Returns the OpenAPI 3.1 description of the served API.',
      {
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
      },
    ),
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
      '200': { description: 'Success.', content: { [mediaType]: { schema } } },
      ...errorResponses(['unknown_host']),
    },
  }
}
