import type { FinishReason } from '#convert/neutral.ts'

/**
 * Returns the neutral finish reason of a stop reason of Converse (docs/reference/conversions.md "Finish reasons"). An
 * unknown stop reason becomes `other`.
 */
export function finishReasonOf(stopReason: string): FinishReason {
  return reasons.get(stopReason) ?? 'other'
}

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'stop_sequence'],
  ['max_tokens', 'max_output'],
  ['model_context_window_exceeded', 'context_full'],
  ['tool_use', 'tool_calls'],
  ['content_filtered', 'filtered'],
  ['guardrail_intervened', 'filtered'],
  ['malformed_tool_use', 'bad_tool_call'],
])
