import type { Failure } from './errors.ts'

/**
 * Headers of every response. These headers forbid caches to store the response, and clients to guess the response's
 * content type.
 */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/**
 * Headers that report the charge of a settled call, in micros, to a client that requested a report
 * (docs/guides/clients.md).
 */
export const answerHeaders = { charge: 'x-svc-charge-micros', remaining: 'x-svc-remaining-micros' } as const

/**
 * Returns the headers of an error response. The headers state whether and when to retry, and which methods are allowed.
 */
export function failureHeaders({ code, details, isRetryable }: Failure): Record<string, string> {
  return {
    // By default, official clients use the status to decide whether to retry. However, a retry after a 402, or after
    // most errors with the status 409, never succeeds.
    'x-should-retry': String(isRetryable),
    ...(isRetryable && { 'retry-after': String(details['retryAfterSeconds'] ?? 1) }),
    // The official clients of OpenAI and Anthropic prefer `retry-after-ms`, which is in milliseconds.
    ...(details['retryAfterMs'] !== undefined && { 'retry-after-ms': String(details['retryAfterMs']) }),
    ...(code === 'method_not_allowed' && { allow: String(details['allowed']) }),
  }
}
