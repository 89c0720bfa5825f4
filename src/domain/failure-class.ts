import { errors, type ErrorCode } from './errors.ts'

/** Whose doing it is that a call did not go well. */
export const failureClasses = ['client', 'limit', 'provider', 'ours'] as const
export type FailureClass = (typeof failureClasses)[number]

const limits: ReadonlySet<string> = new Set<ErrorCode>([
  'insufficient_credit',
  'spend_limit_exceeded',
  'outcome_capped',
  'outcome_finished',
  'balance_held',
  'end_user_frozen',
  'rate_limited',
  'too_many_bodies',
])

/** The provider answered as it should: what it was sent was wrong. */
const rejected: ErrorCode = 'upstream_rejected'

/**
 * `limit`: money or a rate said no; `provider`: it failed or did not answer; `ours`: this server did, or its process
 * ended; `client`: the request was wrong, or its sender left.
 * @returns null: it went well
 */
export function failureClassOf({
  errorCode,
  httpStatus,
}: {
  readonly errorCode: string | null
  /** 0: the process that served it ended. */
  readonly httpStatus: number
}): FailureClass | null {
  if (httpStatus === 0) return 'ours'
  if (errorCode === null) return null
  if (limits.has(errorCode)) return 'limit'
  if (errorCode.startsWith('upstream_')) return errorCode === rejected ? 'client' : 'provider'
  return isOurs(errorCode) ? 'ours' : 'client'
}

/** The application's configuration is at fault, as where a model name has no price. */
const unserved: ErrorCode = 'no_live_source'

function isOurs(code: string): boolean {
  return code !== unserved && Object.hasOwn(errors, code) && errors[code as ErrorCode].status >= 500
}
