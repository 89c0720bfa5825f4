import type { Usage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { usageToCohere } from './usage.ts'
import { frameOf } from './write-frames.ts'

/** Clients select the class of the error by its status, and read `message`. */
export function cohereErrorBody(error: WireError, requestId: string): ByteText {
  return byteTextOf(JSON.stringify({ id: requestId, message: error.message, ...detailsOf(error) }))
}

/**
 * Cohere's streams report an error in their last event, as the finish reason `ERROR` with a text. Cohere's clients
 * return this event and do not throw. Another event follows, which is not JSON, so that the client for JavaScript
 * throws (docs/reference/wires.md "Errors in a stream").
 */
export function cohereErrorFrame(error: WireError, requestId: string): ByteText {
  return endWithError(error, requestId, {})
}

export function cohereSpendFrame(usage: Usage, error: WireError, requestId: string): ByteText {
  return endWithError(error, requestId, { usage: usageToCohere(usage) })
}

function endWithError(error: WireError, requestId: string, more: JsonObject): ByteText {
  const text = `${error.code}: ${error.message}`
  const end = frameOf('message-end', {
    id: requestId,
    delta: { finish_reason: 'ERROR', error: text, ...more },
    ...detailsOf(error),
  })
  return end + byteTextOf(`data: ${text.replaceAll(/\s+/g, ' ')}\n\n`)
}

function detailsOf({ code, details, param, reason }: WireError): JsonObject {
  return {
    code,
    ...(reason !== undefined && { reason }),
    ...(param !== null && { param }),
    ...details,
  }
}
