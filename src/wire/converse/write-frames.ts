import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * Writes a frame of a Converse stream as a server-sent event, the form in which the gateway passes streams on. Its type
 * is the name of its only member (event-stream-encoder.ts).
 */
export function frameOf(type: string, fields: JsonObject): ByteText {
  return byteTextOf(`data: {"${type}":${JSON.stringify(fields)}}\n\n`)
}
