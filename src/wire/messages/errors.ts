import type { Usage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { objectOf, type JsonObject } from '#wire/text/json-values.ts'
import { contextFull } from '#wire/read-provider-error.ts'
import { frameOf } from './write-frames.ts'
import { usageToMessages } from './usage.ts'

export function messagesErrorBody(error: WireError, requestId: string): ByteText {
  return byteTextOf(JSON.stringify(bodyOf(error, requestId)))
}

/**
 * Writes an error that ends a stream whose status was already 200. Without the line `event:`, the official client
 * treats the error as a normal end (docs/reference/wires.md "Errors in a stream").
 */
export function messagesErrorFrame(error: WireError, requestId: string): ByteText {
  return byteTextOf(`event: error\ndata: ${JSON.stringify(bodyOf(error, requestId))}\n\n`)
}

/**
 * Writes the end of a response that a spending limit interrupts: the end of the open block, the usage, and the error.
 * At the error, official clients throw (docs/reference/rules.md "The end of an interrupted stream"). A stop reason is
 * omitted, so that no client accepts the answer as complete. An open tool call is not closed, so that no client runs an
 * incomplete call (docs/reference/wires.md "Errors in a stream").
 * @param openText index of the open block of text or thoughts; null if no block or a tool call is open
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

/**
 * The code of an error is in two places: our published contract names `error.code`, and Anthropic's client reads
 * `details.error_code`. The message of a spending limit repeats the code for clients that keep only the text.
 */
function bodyOf(error: WireError, requestId: string): JsonObject {
  const own = error.own ?? {}
  return {
    type: 'error',
    error: {
      ...own,
      type: own.type ?? messagesErrorType(error.status, error.code),
      message: messageOf(error),
      code: error.code,
      ...(error.reason !== undefined && { reason: error.reason }),
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

/** Uses Anthropic's wording for a full context, because Claude Code compacts its conversation only at this wording. */
function messageOf({ code, message }: WireError): string {
  const isTold = code !== contextFull || /prompt is too long/i.test(message)
  return isTold ? message : `prompt is too long: ${message}`
}

/** By HTTP status (docs/reference/wires.md "Errors on the messages wire"). */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  // Only the gateway returns the status 410, for an archived application.
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
