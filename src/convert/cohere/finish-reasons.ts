import type { FinishReason } from '#convert/neutral-format.ts'

/** See docs/reference/conversions.md "Finish reasons". */
export function finishReasonOf(reason: string): FinishReason {
  return reasons.get(reason) ?? 'other'
}

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['COMPLETE', 'end'],
  ['STOP_SEQUENCE', 'stop_sequence'],
  ['MAX_TOKENS', 'max_output'],
  ['TOOL_CALL', 'tool_calls'],
])

/**
 * @param hasCalls whether the answer has tool calls; some servers of other wires report a normal end after tool calls
 */
export function cohereReasonOf(reason: FinishReason, hasCalls: boolean): string {
  return hasCalls && reason === 'end' ? 'TOOL_CALL' : words[reason]
}

const words: Readonly<Record<FinishReason, string>> = {
  end: 'COMPLETE',
  stop_sequence: 'STOP_SEQUENCE',
  max_output: 'MAX_TOKENS',
  context_full: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  refusal: 'COMPLETE',
  filtered: 'COMPLETE',
  pause: 'COMPLETE',
  bad_tool_call: 'ERROR',
  other: 'COMPLETE',
}
