import type { WireError } from './content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'

/** Chat and responses share the format. */
export function openaiErrorBody(error: WireError, requestId: string): ByteText {
  return byteTextOf(JSON.stringify({ error: openaiErrorOf(error, requestId) }))
}

/** Writes the error as the last event of a stream, which has no end marker. */
export function openaiErrorFrame(error: WireError, requestId: string): ByteText {
  return byteTextOf(`data: ${JSON.stringify({ error: openaiErrorOf(error, requestId) })}\n\n`)
}

export function openaiErrorOf(error: WireError, requestId: string): JsonObject {
  const own = error.own ?? {}
  return {
    ...own,
    message: error.message,
    type: own.type ?? openaiErrorType(error.status, error.code),
    param: error.param,
    code: own.code ?? error.code,
    ...(error.reason !== undefined && { reason: error.reason }),
    ...error.details,
    request_id: requestId,
  }
}

function openaiErrorType(status: number, code: string): string {
  if (status === 402 || code === 'spend_limit_exceeded') return 'insufficient_quota'
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 404 || status === 410) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'api_error' : 'invalid_request_error'
}
