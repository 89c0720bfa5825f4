import type { JsonObject } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage.ts'
import type { EncoderOptions } from '#convert/codec.ts'
import type { FinishReason, NeutralRequest } from '#convert/neutral.ts'
import { stopReasonOf } from './stop-reasons.ts'
import { usageToMessages } from '#wire/messages/usage.ts'

export interface Finish {
  readonly reason: FinishReason
  readonly stopSequence: string | null
}

/** What says why an answer ended: of a message, and of the frame at a stream's end. */
export function answerEnd({ reason, stopSequence }: Finish, hasCalls: boolean): JsonObject {
  const stopReason = stopReasonOf(reason, hasCalls)
  return {
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    ...(stopReason === 'refusal' && {
      stop_details: { type: 'refusal', category: null, explanation: null },
    }),
  }
}

/** A message, whole or about to begin. */
export function messageOf(
  { alias, callId }: EncoderOptions,
  content: readonly JsonObject[],
  end: JsonObject,
  usage: Usage,
): JsonObject {
  return {
    id: `msg_${callId}`,
    type: 'message',
    role: 'assistant',
    model: alias,
    content,
    ...end,
    usage: usageToMessages(usage),
  }
}

/** Thoughts are shown to who asked for them: a client that did not may have no place for such a block. */
export function showsThoughts({ reasoning }: NeutralRequest): boolean {
  return reasoning !== null && reasoning.effort !== 'none' && reasoning.isShown !== false
}
