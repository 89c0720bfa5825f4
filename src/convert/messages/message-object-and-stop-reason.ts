import type { JsonObject } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import type { FinishReason, NeutralRequest } from '#convert/neutral-format.ts'
import { usageToMessages } from '#wire/messages/usage.ts'

export interface Finish {
  readonly reason: FinishReason
  readonly stopSequence: string | null
}

/** For a message, and for the last frame of a stream. */
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

/** For a complete answer, or for the start of a stream. */
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

/** Thoughts are shown only on request, because some clients cannot display blocks of thoughts. */
export function showsThoughts({ reasoning }: NeutralRequest): boolean {
  return reasoning !== null && reasoning.effort !== 'none' && reasoning.isShown !== false
}

/** See docs/reference/conversions.md "Finish reasons". */
export function finishReasonOf(stopReason: string): FinishReason {
  return reasons.get(stopReason) ?? 'other'
}

/**
 * @param hasCalls whether the answer has tool calls; clients rely on the stop reason, but some servers of other wires
 *   report a normal end after tool calls
 */
function stopReasonOf(reason: FinishReason, hasCalls: boolean): string {
  return hasCalls && reason === 'end' ? 'tool_use' : words[reason]
}

const words: Readonly<Record<FinishReason, string>> = {
  end: 'end_turn',
  stop_sequence: 'stop_sequence',
  max_output: 'max_tokens',
  context_full: 'model_context_window_exceeded',
  tool_calls: 'tool_use',
  refusal: 'refusal',
  filtered: 'refusal',
  pause: 'pause_turn',
  // An answer with this finish reason ends with an error, if an error can still be written (answer-encoder.ts).
  bad_tool_call: 'end_turn',
  other: 'end_turn',
}

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'stop_sequence'],
  ['max_tokens', 'max_output'],
  ['model_context_window_exceeded', 'context_full'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
])
