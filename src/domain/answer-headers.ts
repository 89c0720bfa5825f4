import type { Failure } from './errors.ts'

/** On every answer: no cache may keep it, and no client may guess its type. */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** Headers of a failure: whether and when to repeat, and what is allowed instead. */
export function failureHeaders({ code, details, isRetryable }: Failure): Record<string, string> {
  return {
    // Official clients retry by status; a 402 or a 409 of ours never clears by repeating it.
    'x-should-retry': String(isRetryable),
    ...(isRetryable && { 'retry-after': String(details['retryAfterSeconds'] ?? 1) }),
    ...(code === 'method_not_allowed' && { allow: String(details['allowed']) }),
  }
}
