import type { FinishReason } from '#convert/neutral.ts'

/** wire.md 5.1. What this wire has no word for is `other`, also words that are yet to come. */
export function finishReasonOf(stopReason: string): FinishReason {
  return reasons.get(stopReason) ?? 'other'
}

/**
 * @param hasCalls the answer holds calls of tools: clients go by the stop reason alone, and some servers
 *   of other wires say that it just ended
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
  refusal: 'refusal',
  filtered: 'refusal',
  pause: 'pause_turn',
  // An error, where one can still be said (encode.ts).
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
