import type { Failure } from './errors.ts'

/** On every answer: it belongs to one caller and one moment, and its type is what it says. */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** What a client reads off the head of a failure: whether and when to repeat, and what is allowed instead. */
export function failureHeaders({ code, details, isRetryable }: Failure): Record<string, string> {
  return {
    // Official clients retry by status; a 402 or a 409 of ours never clears by repeating it.
    'x-should-retry': String(isRetryable),
    ...(isRetryable && { 'retry-after': String(details['retryAfterSeconds'] ?? 1) }),
    ...(code === 'method_not_allowed' && { allow: String(details['allowed']) }),
  }
}
