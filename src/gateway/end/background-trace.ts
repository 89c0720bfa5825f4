import { textOfTrace } from '#explain/trace-text.ts'
import type { Trace } from '#explain/trace.ts'
import type { ReservedCall } from '#gateway/call/call-states.ts'
import { traceOf } from './call-trace.ts'

/**
 * Returns the steps so far of a call whose response is generated in the background, as JSON. The hold stores them,
 * because another process may record the end.
 */
export function backgroundTrace(call: ReservedCall): string {
  return JSON.stringify(traceOf(call, call.reserved, { kind: 'background' }, null))
}

/** Returns all steps of a call, in the form of request records. @param stored the steps from `backgroundTrace` */
export function endedTrace(
  stored: string,
  {
    errorCode,
    traceEnd,
    used,
  }: { readonly errorCode: string | null; readonly traceEnd: string; readonly used: object | null },
): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `backgroundTrace` wrote the text, and a trace is plain JSON
  const trace = JSON.parse(stored) as Trace
  const ended: Trace = {
    ...trace,
    stream: trace.stream && { ...trace.stream, end: traceEnd },
    refusal: errorCode === null ? null : { code: errorCode },
  }
  return textOfTrace(ended, used !== null)
}
