import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'

/** The data is an object with one member, whose name is the type of the frame (event-stream-encoder.ts). */
export function frameOf(type: string, fields: JsonObject): ByteText {
  return byteTextOf(`data: {"${type}":${JSON.stringify(fields)}}\n\n`)
}
