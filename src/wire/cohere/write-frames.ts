import type { Usage } from '#money/usage-counts.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { usageToCohere } from './usage.ts'

/** The type of a frame is both the name of the event and a member of the data. */
export function frameOf(type: string, fields: JsonObject): ByteText {
  return byteTextOf(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
}

export function endFrames(reason: string, usage: Usage): ByteText {
  return frameOf('message-end', { delta: { finish_reason: reason, usage: usageToCohere(usage) } }) + endMarker
}

export const endMarker: ByteText = 'data: [DONE]\n\n'
