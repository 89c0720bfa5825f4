import type { FailedAttempt } from '#domain/ledger-interface.ts'
import { costOf } from '#money/cost.ts'
import { textOfTrace } from '#explain/convert-trace-to-text.ts'
import type { Trace } from '#explain/sections-of-trace.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import { traceOf } from './trace-of-call.ts'

/** The steps so far are stored with the hold, because any process may record the end of the call. */
export function backgroundTrace(call: ReservedCall): string {
  return JSON.stringify(traceOf(call, call.reserved, { kind: 'background' }, null))
}

interface EndOfTrace {
  readonly attempt: Pick<FailedAttempt, 'quote' | 'usage'> | null
  readonly errorCode: string | null
  readonly traceEnd: string
  readonly used: object | null
}

/**
 * Returns all steps of an ended call, in the format of the trace in request records.
 * @param stored the result of `backgroundTrace`
 */
export function endedTrace(stored: string, { attempt, errorCode, traceEnd, used }: EndOfTrace): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `backgroundTrace` wrote the text, and a trace is plain JSON
  const trace = JSON.parse(stored) as Trace
  const ended: Trace = {
    ...trace,
    attempts: trace.attempts && withCostOfLast(trace.attempts, attempt),
    stream: trace.stream && { ...trace.stream, end: traceEnd },
    refusal: errorCode === null ? null : { code: errorCode },
  }
  return textOfTrace(ended, used !== null)
}

/** The last attempt failed after the response to the client, so `attempts` contains no cost for it. */
export function withCostOfLast<Attempt extends object>(
  attempts: readonly Attempt[],
  failed: Pick<FailedAttempt, 'quote' | 'usage'> | null,
): readonly Attempt[] {
  const last = attempts.at(-1)
  if (last === undefined || failed === null) return attempts
  const { quote, usage } = failed
  const costMicros = String(usage === null ? 0n : costOf(usage, quote.cost).amount)
  return [...attempts.slice(0, -1), { ...last, costMicros }]
}
