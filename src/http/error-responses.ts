import { failureHeaders, privateHeaders } from '#domain/cache-charge-and-retry-headers.ts'
import { Failure } from '#domain/errors.ts'
import { isRefusal } from '#domain/rejected-request-facts.ts'
import { docsUrlOf } from './reference/error-page.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'

export type AnswerHeaders = Record<string, string>

/** Responses are private to one customer, so caches must not store them. */
export function baseHeaders(requestId: string): AnswerHeaders {
  return {
    'content-type': 'application/json; charset=utf-8',
    ...privateHeaders,
    'x-request-id': requestId,
  }
}

/** Adds the request ID, except to a file that shared caches may store. */
export function withRequestId(response: Response, requestId: string): Response {
  const { headers } = response
  const isShared = headers.get('cache-control')?.includes('immutable') === true
  if (!headers.has('x-request-id') && !isShared) headers.set('x-request-id', requestId)
  return response
}

interface ErrorAnswerOptions {
  readonly onRefused?: (failure: Failure) => void
  readonly baseUrl?: string | null
}

/**
 * Converts any thrown error into the control plane's error format. An unknown error becomes `internal`. Its text may
 * contain anything, so it is logged and never returned to the caller.
 */
export function errorAnswer(
  error: unknown,
  requestId: string,
  onInternal: (error: unknown) => void,
  { baseUrl = null, onRefused = () => {} }: ErrorAnswerOptions = {},
): Response {
  const failure = failureFrom(error)
  if (isRefusal(failure.status)) onRefused(failure)
  if (failure.code === 'internal' || failure.code === 'store_unavailable') onInternal(error)
  const headers = { ...baseHeaders(requestId), ...failureHeaders(failure) }
  if (failure.status === 401) headers['www-authenticate'] = 'Bearer'
  const body = {
    error: {
      code: failure.code,
      message: failure.message,
      ...(failure.param !== null && { param: failure.param }),
      requestId,
      ...(baseUrl !== null && { docsUrl: docsUrlOf(failure.code, baseUrl) }),
      ...(Object.keys(failure.details).length > 0 && { details: failure.details }),
    },
  }
  return new Response(JSON.stringify(body), { status: failure.status, headers })
}

function failureFrom(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof StoreUnavailable) return new Failure('store_unavailable', { retryAfterSeconds: 1 })
  return new Failure('internal')
}
