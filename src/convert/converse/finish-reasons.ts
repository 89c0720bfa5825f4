import type { FinishReason } from '#convert/neutral-format.ts'

/** See docs/reference/conversions.md "Finish reasons". */
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

/**
 * @param hasCalls whether the answer has tool calls; some servers of other wires report a normal end after tool calls
 */
export function stopReasonOf(reason: FinishReason, hasCalls: boolean): string {
  return hasCalls && reason === 'end' ? 'tool_use' : words[reason]
}

const words: Readonly<Record<FinishReason, string>> = {
  end: 'end_turn',
  stop_sequence: 'stop_sequence',
  max_output: 'max_tokens',
  context_full: 'model_context_window_exceeded',
  tool_calls: 'tool_use',
  refusal: 'content_filtered',
  filtered: 'content_filtered',
  pause: 'end_turn',
  bad_tool_call: 'malformed_tool_use',
  other: 'end_turn',
}
