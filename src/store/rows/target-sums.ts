import { type FailureClass, failureClassOf } from '#domain/failure-class.ts'
import { Histogram } from '#domain/histogram.ts'
import type { TargetFigures } from '#domain/reports.ts'
import type { EndedCall } from './ended-calls.ts'

/** Sums of provider attempts by account and model. Each attempt counts for its own target. */
export class TargetSums {
  readonly #sums = new Map<string, TargetSum>()

  all(): readonly TargetFigures[] {
    return [...this.#sums.values()]
  }

  add(call: EndedCall): void {
    const { accountId, attempts, firstByteMs, latencyMs, model } = call
    for (const { code, durationMs, firstByteMs: headMs, target } of attempts) {
      const sum = this.#sumOf(target.accountId, target.model)
      count(sum, failureClassOf({ errorCode: code, httpStatus: 502 }), durationMs, headMs)
    }
    if (accountId === null || model === null || isAmongAttempts(call)) return
    const last = attempts.at(-1)
    // The time before the target was called belongs to the other targets.
    const beforeMs = last === undefined ? 0 : last.atMs + last.durationMs
    const headMs = firstByteMs === null ? null : Math.max(0, firstByteMs - beforeMs)
    count(this.#sumOf(accountId, model), failureClassOf(call), Math.max(0, latencyMs - beforeMs), headMs)
  }

  merge({ accountId, calls, failed, firstByteMs, latencyMs, model }: TargetFigures): void {
    const sum = this.#sumOf(accountId, model)
    sum.calls += calls
    sum.failed.client += failed.client
    sum.failed.limit += failed.limit
    sum.failed.provider += failed.provider
    sum.failed.ours += failed.ours
    sum.latencyMs.merge(latencyMs)
    sum.firstByteMs.merge(firstByteMs)
  }

  #sumOf(accountId: string, model: string): TargetSum {
    const key = `${accountId}\n${model}`
    let sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, (sum = emptySum(accountId, model)))
    return sum
  }
}

interface TargetSum extends TargetFigures {
  calls: number
  readonly failed: Record<FailureClass, number>
}

function emptySum(accountId: string, model: string): TargetSum {
  return {
    accountId,
    model,
    calls: 0,
    failed: { client: 0, limit: 0, provider: 0, ours: 0 },
    latencyMs: new Histogram(),
    firstByteMs: new Histogram(),
  }
}

/** If all attempts of a call failed, its own end is the same as its last attempt. */
function isAmongAttempts({ accountId, attempts, errorCode, isCharged, model }: EndedCall): boolean {
  const last = attempts.at(-1)
  if (isCharged || last === undefined) return false
  return last.code === errorCode && last.target.accountId === accountId && last.target.model === model
}

function count(
  sum: TargetSum,
  failure: FailureClass | null,
  latencyMs: number,
  firstByteMs: number | null,
): void {
  sum.calls += 1
  if (failure !== null) sum.failed[failure] += 1
  sum.latencyMs.add(latencyMs)
  if (firstByteMs !== null) sum.firstByteMs.add(firstByteMs)
}
