import { byteTextOf } from '#wire/byte-text.ts'
import type { ByteText } from '#wire/byte-text.ts'
import type { WireError } from '#wire/answer.ts'

/** The body of an error answer, in the shape from which official clients make their typed errors. */
export function chatErrorBody(error: WireError, requestId: string): ByteText {
  return byteTextOf(
    JSON.stringify({
      error: {
        message: error.message,
        type: chatErrorType(error.status, error.code),
        param: error.param,
        code: error.code,
        ...error.details,
        request_id: requestId,
      },
    }),
  )
}

/** An error inside a stream whose status was already 200, and the end of that stream. */
export function chatErrorFrames(error: WireError, requestId: string): ByteText {
  const body = {
    message: error.message,
    type: chatErrorType(error.status, error.code),
    param: error.param,
    code: error.code,
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    ...error.details,
    request_id: requestId,
  }
  return byteTextOf(`data: ${JSON.stringify({ error: body })}\n\ndata: [DONE]\n\n`)
}

function chatErrorType(status: number, code: string): string {
  if (status === 402 || code === 'spend_limit_exceeded') return 'insufficient_quota'
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'api_error' : 'invalid_request_error'
}
