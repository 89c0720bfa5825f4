import type { FinishReason } from '#convert/neutral-format.ts'

/** See docs/reference/conversions.md "Finish reasons". */
export function finishOf(reason: string, hasCalls: boolean): FinishReason {
  // The generate wire has no finish reason for a tool call (docs/reference/wires.md "Streams on the generate wire").
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
  // Google sends this value, although it is not in the documented enum (docs/reference/wires.md "Answers on the
  // generate wire").
  MODEL_ARMOR: 'filtered',
  MALFORMED_FUNCTION_CALL: 'bad_tool_call',
  UNEXPECTED_TOOL_CALL: 'bad_tool_call',
  TOO_MANY_TOOL_CALLS: 'bad_tool_call',
  MALFORMED_RESPONSE: 'bad_tool_call',
  CONTINUATION: 'pause',
}

export const finishReasons: Readonly<Record<FinishReason, string>> = {
  end: 'STOP',
  stop_sequence: 'STOP',
  tool_calls: 'STOP',
  max_output: 'MAX_TOKENS',
  context_full: 'MAX_TOKENS',
  refusal: 'SAFETY',
  filtered: 'SAFETY',
  // Do not use the wire's own value for a pause. Clients would then look for a continuation token, which the provider
  // has not sent.
  pause: 'OTHER',
  bad_tool_call: 'MALFORMED_FUNCTION_CALL',
  other: 'OTHER',
}
