import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * Streams inside the gateway are server-sent events. The data is an object whose only member has the type of the frame
 * as its name (event-stream-encoder.ts).
 */
export function frameOf(type: string, fields: JsonObject): ByteText {
  return byteTextOf(`data: {"${type}":${JSON.stringify(fields)}}\n\n`)
}
