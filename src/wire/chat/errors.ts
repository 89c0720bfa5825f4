import type { WireError } from '#wire/content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { openaiErrorOf } from '#wire/write-openai-error.ts'

/** Writes an error and the end of a stream whose status was already 200. */
export function chatErrorFrames(error: WireError, requestId: string): ByteText {
  return byteTextOf(`data: ${JSON.stringify({ error: openaiErrorOf(error, requestId) })}\n\ndata: [DONE]\n\n`)
}
