import type { FinishReason } from '#convert/neutral.ts'

/** `finishReason` -> the neutral one (docs/reference/conversions.md "Finish reasons"); an unknown one is `other`. */
export function finishOf(reason: string, hasCalls: boolean): FinishReason {
  // No value of this wire asks for a tool call (docs/reference/wires.md "Streams of generate").
  if (reason === 'STOP') return hasCalls ? 'tool_calls' : 'end'
  return read[reason] ?? 'other'
}

const read: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'max_output',
  SAFETY: 'filtered',
  RECITATION: 'filtered',
  BLOCKLIST: 'filtered',
  PROHIBITED_CONTENT: 'filtered',
  SPII: 'filtered',
  IMAGE_SAFETY: 'filtered',
  IMAGE_PROHIBITED_CONTENT: 'filtered',
  IMAGE_RECITATION: 'filtered',
  // Sent, but not in the enum (docs/reference/wires.md "Answers of generate").
  MODEL_ARMOR: 'filtered',
  MALFORMED_FUNCTION_CALL: 'bad_tool_call',
  UNEXPECTED_TOOL_CALL: 'bad_tool_call',
  TOO_MANY_TOOL_CALLS: 'bad_tool_call',
  MALFORMED_RESPONSE: 'bad_tool_call',
  CONTINUATION: 'pause',
}

/** The neutral one -> `finishReason`. */
export const finishReasons: Readonly<Record<FinishReason, string>> = {
  end: 'STOP',
  stop_sequence: 'STOP',
  tool_calls: 'STOP',
  max_output: 'MAX_TOKENS',
  context_full: 'MAX_TOKENS',
  refusal: 'SAFETY',
  filtered: 'SAFETY',
  // A client would look for a token to continue with, and there is none.
  pause: 'OTHER',
  bad_tool_call: 'MALFORMED_FUNCTION_CALL',
  other: 'OTHER',
}
