import type { Usage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { openaiErrorOf } from '#wire/write-openai-error.ts'
import { frameOf } from './write-frames.ts'
import { usageToResponses } from './usage.ts'

interface FailedEnd {
  readonly response: JsonObject
  readonly usage: Usage | null
  readonly error: WireError
  readonly requestId: string
  readonly sequenceNumber: number
}

/**
 * Writes the end of a failed stream: the failed response with its usage, then the error. Each client reads only one of
 * the two events. The official client throws at an `error`, but treats a failed response as an answer. Codex skips an
 * `error` event, and fails at a failed response (docs/reference/wires.md "Codex", "Errors in a stream"). The error
 * comes last, so that a client that throws has already read the usage.
 */
export function failureFrames({ response, usage, error, requestId, sequenceNumber }: FailedEnd): ByteText {
  const failed: JsonObject = {
    ...response,
    status: 'failed',
    error: { code: error.code, message: error.message },
    incomplete_details: null,
    usage: usage && usageToResponses(usage),
  }
  return (
    frameOf('response.failed', sequenceNumber, { response: failed }) +
    frameOf('error', sequenceNumber + 1, { error: openaiErrorOf(error, requestId) })
  )
}
