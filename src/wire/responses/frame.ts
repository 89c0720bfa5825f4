import { byteTextOf } from '#wire/byte-text.ts'
import type { ByteText } from '#wire/byte-text.ts'
import type { JsonObject } from '#wire/neutral.ts'

/** One event of a stream: its type stands in the event's name and in its data. */
export function frameOf(type: string, sequenceNumber: number, fields: JsonObject): ByteText {
  const data = JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })
  return byteTextOf(`event: ${type}\ndata: ${data}\n\n`)
}
