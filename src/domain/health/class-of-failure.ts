import { errors, type ErrorCode } from '#domain/errors.ts'
import { sumsOf } from '#domain/add-records-by-field.ts'

export const failureClasses = ['client', 'limit', 'provider', 'ours'] as const
export type FailureClass = (typeof failureClasses)[number]

export const sumsOfFailures = sumsOf<Record<FailureClass, number>>({
  client: 0,
  limit: 0,
  provider: 0,
  ours: 0,
})
export const noFailures = sumsOfFailures.zero

const limits: ReadonlySet<string> = new Set<ErrorCode>([
  'insufficient_credit',
  'spend_limit_exceeded',
  'outcome_capped',
  'outcome_finished',
  'balance_held',
  'end_user_frozen',
  'rate_limited',
  'organization_limit_reached',
  'too_many_bodies',
])

/** The code of provider errors that a wrong request caused. The provider itself works correctly. */
const rejected: ErrorCode = 'upstream_rejected'

/**
 * `limit` means that money or a rate limit rejected the call. `provider` means that the provider failed or did not
 * respond. `ours` means that this server failed, or its process died. `client` means that the request was wrong, or
 * that its sender disconnected.
 * @returns null if the call succeeded
 */
export function failureClassOf({
  errorCode,
  httpStatus,
}: {
  readonly errorCode: string | null
  /** 0 if the process that served the call died. */
  readonly httpStatus: number
}): FailureClass | null {
  if (httpStatus === 0) return 'ours'
  if (errorCode === null) return null
  if (limits.has(errorCode)) return 'limit'
  if (errorCode.startsWith('upstream_')) return errorCode === rejected ? 'client' : 'provider'
  return isOurs(errorCode) ? 'ours' : 'client'
}

/** The application's configuration causes errors with this code, for example if a model name has no price. */
const unserved: ErrorCode = 'no_live_source'

function isOurs(code: string): boolean {
  return code !== unserved && Object.hasOwn(errors, code) && errors[code as ErrorCode].status >= 500
}
