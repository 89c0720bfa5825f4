import type { Failure } from './errors.ts'

/** Forbids caches to store the response, and clients to guess its content type. */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/**
 * Headers that report the charge of a settled call, in micros, to a client that requested a report
 * (docs/guides/clients.md).
 */
export const answerHeaders = { charge: 'x-svc-charge-micros', remaining: 'x-svc-remaining-micros' } as const

/** Headers of an error response: whether and when to retry, and which methods are allowed. */
export function failureHeaders({ code, details, isRetryable }: Failure): Record<string, string> {
  return {
    // By default, official clients use the status to decide whether to retry. However, a retry after a 402, or after
    // most errors with the status 409, never succeeds.
    'x-should-retry': String(isRetryable),
    ...(isRetryable && { 'retry-after': String(details['retryAfterSeconds'] ?? 1) }),
    // The official clients of OpenAI and Anthropic prefer `retry-after-ms`, which is in milliseconds.
    ...(details['retryAfterMs'] !== undefined && { 'retry-after-ms': String(details['retryAfterMs']) }),
    ...(code === 'method_not_allowed' && { allow: String(details['allowed']) }),
    // A response with the status 426 must state a protocol (RFC 9110 15.5.22).
    ...(code === 'websocket_not_served' && { upgrade: 'HTTP/1.1', connection: 'upgrade' }),
  }
}
