import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * Writes a frame of a Converse stream as a server-sent event, the form of all streams inside the gateway. The only
 * member of the event's data has the type of the frame as its name (event-stream-encoder.ts).
 */
export function frameOf(type: string, fields: JsonObject): ByteText {
  return byteTextOf(`data: {"${type}":${JSON.stringify(fields)}}\n\n`)
}
