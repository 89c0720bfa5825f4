import type { DemoPath } from '#demo/demo-operation.ts'
import type { ErrorCode } from '#domain/errors.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { isOfPortal } from './is-served-by-portal.ts'

const commonErrors = [
  'invalid_request',
  'unknown_field',
  'rate_limited',
  'internal',
  'store_unavailable',
] as const satisfies readonly ErrorCode[]

const teamErrors = [
  'missing_credential',
  'invalid_token',
  'token_expired',
  'session_ended',
  'wrong_credential_kind',
  'conflicting_credentials',
] as const satisfies readonly ErrorCode[]

const endUserErrors = [
  'portal_session_required',
  'wrong_credential_kind',
] as const satisfies readonly ErrorCode[]

/** For operations whose reads count toward the caller's share of the store. */
const readErrors = ['too_many_reads', 'overloaded'] as const satisfies readonly ErrorCode[]

const bodyErrors = [
  'invalid_json',
  'unsupported_media_type',
  'request_too_large',
  'request_too_slow',
  'overloaded',
  'too_many_bodies',
] as const satisfies readonly ErrorCode[]

const repeatErrors = ['idempotency_running', 'idempotency_mismatch'] as const satisfies readonly ErrorCode[]

export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const {
    answersSecret,
    errors,
    hasRevision,
    isForOneApplication,
    isForPeople,
    isForReaders,
    leastRole,
    method,
    scope,
  } = operation
  const isWrite = method !== 'GET'
  const isOfTeam = scope === 'organization' || scope === 'application'
  return [
    ...new Set<ErrorCode>([
      ...errors,
      ...commonErrors,
      ...(isOfTeam ? teamErrors : []),
      ...(scope === 'end_user' ? endUserErrors : []),
      ...(scope === 'public' ? [] : readErrors),
      ...(scope === 'end_user' && !isForReaders ? (['portal_read_only'] as const) : []),
      ...(isOfPortal(operation) ? (['application_archived'] as const) : []),
      ...(isWrite ? (['cross_site_request'] as const) : []),
      ...(isOfTeam && (isWrite || leastRole !== 'viewer') ? (['role_required'] as const) : []),
      ...(isForPeople ? (['session_required'] as const) : []),
      ...(isForOneApplication ? [] : (['organization_credential_required'] as const)),
      ...(scope === 'application' ? (['application_required', 'not_found'] as const) : []),
      ...(scope === 'application' && isWrite ? (['application_archived'] as const) : []),
      ...(takesBody(operation) ? bodyErrors : []),
      ...(operation.upload ? (['invalid_file'] as const) : []),
      ...(takesIdempotencyKey(operation) ? repeatErrors : []),
      ...(takesIdempotencyKey(operation) && answersSecret ? (['secret_not_kept'] as const) : []),
      ...(hasRevision ? (['precondition_failed'] as const) : []),
    ]),
  ]
}

/** Returns every error code that a path of the demo tier may return to a request that names a tenant. */
export function demoErrorsOf(demo: DemoPath): readonly ErrorCode[] {
  if (demo.kind === 'not_built') return ['conflicting_credentials', 'invalid_request', 'rate_limited']
  return [
    ...demo.errors,
    'invalid_request',
    'unknown_field',
    'demo_tenant_required',
    'demo_tenant_unknown',
    'conflicting_credentials',
    'rate_limited',
    'internal',
    ...(demo.input.body ? bodyErrors : []),
  ]
}

export function takesBody({ method }: Operation): boolean {
  return method !== 'GET' && method !== 'DELETE'
}

/**
 * A client can safely repeat reads and deletions without a key. A key belongs to an organization, so public operations
 * accept none.
 */
export function takesIdempotencyKey(operation: Operation): boolean {
  return takesBody(operation) && operation.scope !== 'public'
}
