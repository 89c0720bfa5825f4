import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * The type of a frame is both the name of the event and a member of the data (docs/reference/wires.md "Streams on the
 * messages wire").
 */
export function frameOf(type: string, fields: JsonObject): ByteText {
  return byteTextOf(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
}

export const stopFrame = frameOf('message_stop', {})
