import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * The type of an event is both the name of the event and a member of the data.
 * @param fields other members of the data, as text without the braces
 */
export function frameOf(type: string, sequenceNumber: number, fields: JsonObject | ByteText): ByteText {
  const members = typeof fields === 'string' ? fields : byteTextOf(JSON.stringify(fields).slice(1, -1))
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequenceNumber},${members}}\n\n`
}
