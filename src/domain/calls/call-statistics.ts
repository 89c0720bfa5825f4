import { type FailureClass, noFailures, sumsOfFailures } from '#domain/health/class-of-failure.ts'
import { Histogram } from '#domain/reports/duration-histogram.ts'
import type { CallFigures } from '#domain/reports/reports-interface.ts'

/** Functions that count calls change the object in place. */
export interface CallStatistics extends CallFigures {
  calls: number
  readonly failed: Record<FailureClass, number>
}

export function noCalls(): CallStatistics {
  return { calls: 0, failed: noFailures(), latencyMs: new Histogram(), firstByteMs: new Histogram() }
}

/** @param failure the class of the failure; null if the call succeeded @param firstByteMs null if no byte was sent */
export function countCall(
  sum: CallStatistics,
  failure: FailureClass | null,
  latencyMs: number,
  firstByteMs: number | null,
): void {
  sum.calls += 1
  if (failure !== null) sum.failed[failure] += 1
  sum.latencyMs.add(latencyMs)
  if (firstByteMs !== null) sum.firstByteMs.add(firstByteMs)
}

export function addCalls(sum: CallStatistics, { calls, failed, firstByteMs, latencyMs }: CallFigures): void {
  sum.calls += calls
  sumsOfFailures.add(sum.failed, failed)
  sum.latencyMs.merge(latencyMs)
  sum.firstByteMs.merge(firstByteMs)
}
