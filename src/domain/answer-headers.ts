import type { Failure } from './errors.ts'

/** Sent with every response. Caches must not store it, and clients must not guess its type. */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** Headers that report a settled call to a client that requested a report, in micros (docs/guides/clients.md). */
export const answerHeaders = { charge: 'x-svc-charge-micros', remaining: 'x-svc-remaining-micros' } as const

/** Headers of a failure. They say whether and when to retry, and which methods are allowed. */
export function failureHeaders({ code, details, isRetryable }: Failure): Record<string, string> {
  return {
    // Official clients retry by status. Retrying a 402 or a 409 of this server never succeeds.
    'x-should-retry': String(isRetryable),
    ...(isRetryable && { 'retry-after': String(details['retryAfterSeconds'] ?? 1) }),
    // The official clients of OpenAI and Anthropic prefer the milliseconds.
    ...(details['retryAfterMs'] !== undefined && { 'retry-after-ms': String(details['retryAfterMs']) }),
    ...(code === 'method_not_allowed' && { allow: String(details['allowed']) }),
  }
}
