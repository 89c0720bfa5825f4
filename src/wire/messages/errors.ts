import type { Usage } from '#money/usage.ts'
import type { WireError } from '#wire/wire-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { objectOf, type JsonObject } from '#wire/text/json-values.ts'
import { contextFull } from '#wire/provider-error.ts'
import { frameOf } from './write-frames.ts'
import { usageToMessages } from './usage.ts'

/** The body of an error answer, in the shape from which official clients make their typed errors. */
export function messagesErrorBody(error: WireError, requestId: string): ByteText {
  return byteTextOf(JSON.stringify(bodyOf(error, requestId)))
}

/**
 * An error inside a stream whose status was already 200; it ends the stream. Without the line `event:` the
 * official client takes it for a good end (docs/reference/wires.md "Errors in a stream").
 */
export function messagesErrorFrame(error: WireError, requestId: string): ByteText {
  return byteTextOf(`event: error\ndata: ${JSON.stringify(bodyOf(error, requestId))}\n\n`)
}

/**
 * The end of an answer that spend has cut: the open block closed, the usage, and the error that makes official
 * clients throw (docs/reference/rules.md "The end of a cut stream"). No stop reason, so that no client takes the
 * answer for whole; and a tool's call stays open, so that no client runs half of it (docs/reference/wires.md
 * "Errors in a stream").
 * @param openText index of the block of text or thoughts that is open; null: none, or a tool's call
 */
export function messagesSpendFrames(
  openText: number | null,
  usage: Usage,
  error: WireError,
  requestId: string,
): ByteText {
  return (
    (openText === null ? '' : frameOf('content_block_stop', { index: openText })) +
    frameOf('message_delta', {
      delta: { stop_reason: null, stop_sequence: null },
      usage: usageToMessages(usage),
    }) +
    messagesErrorFrame(error, requestId)
  )
}

/** Clients read the code from `details.error_code`; the message repeats it for clients that keep only the text. */
function bodyOf(error: WireError, requestId: string): JsonObject {
  const own = error.own ?? {}
  return {
    type: 'error',
    error: {
      ...own,
      type: own.type ?? messagesErrorType(error.status, error.code),
      message: messageOf(error),
      details: {
        ...objectOf(own.details),
        error_code: error.code,
        ...(error.reason !== undefined && { reason: error.reason }),
        ...(error.param !== null && { param: error.param }),
        ...error.details,
      },
    },
    request_id: requestId,
  }
}

/** Claude Code shortens its conversation at Anthropic's own words for a full context, and at no code. */
function messageOf({ code, message }: WireError): string {
  const isTold = code !== contextFull || /prompt is too long/i.test(message)
  return isTold ? message : `prompt is too long: ${message}`
}

/** docs/reference/wires.md "Errors of messages". */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  // Ours: an application that is archived.
  410: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function messagesErrorType(status: number, code: string): string {
  if (code === 'spend_limit_exceeded') return 'billing_error'
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}
