import type { ErrorCode } from '#domain/errors.ts'
import type { Operation } from '#operations/operation.ts'

/** Errors of every operation besides its own. */
const commonErrors = [
  'invalid_request',
  'unknown_field',
  'missing_credential',
  'invalid_token',
  'wrong_credential_kind',
  'conflicting_credentials',
  'internal',
  'store_unavailable',
] as const satisfies readonly ErrorCode[]

/** Errors of operations that take a body: reading it, and repeats. */
const bodyErrors = [
  'invalid_json',
  'unsupported_media_type',
  'request_too_large',
  'idempotency_running',
  'idempotency_mismatch',
] as const satisfies readonly ErrorCode[]

/** Every code that the operation may answer, its own first. */
export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const { answersSecret, errors, hasRevision, method, scope } = operation
  const isWrite = method !== 'GET'
  return [
    ...new Set<ErrorCode>([
      ...errors,
      ...commonErrors,
      ...(scope === 'application' ? (['application_required', 'not_found'] as const) : []),
      ...(scope === 'application' && isWrite ? (['application_archived'] as const) : []),
      ...(takesBody(operation) ? bodyErrors : []),
      ...(takesBody(operation) && answersSecret ? (['secret_not_kept'] as const) : []),
      ...(isWrite && hasRevision ? (['precondition_failed'] as const) : []),
    ]),
  ]
}

/** Operations with a body take an Idempotency-Key too; reads and removals are safe to repeat without one. */
export function takesBody({ method }: Operation): boolean {
  return method !== 'GET' && method !== 'DELETE'
}
