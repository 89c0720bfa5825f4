import type { WireError } from '#wire/content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { openaiErrorOf } from '#wire/write-openai-error.ts'

/** Writes an error into a stream whose status was already 200, and then the end of that stream. */
export function chatErrorFrames(error: WireError, requestId: string): ByteText {
  return byteTextOf(`data: ${JSON.stringify({ error: openaiErrorOf(error, requestId) })}\n\ndata: [DONE]\n\n`)
}
