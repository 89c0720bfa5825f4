import { failureClassOf } from '#domain/health/class-of-failure.ts'
import type { TargetFigures } from '#domain/reports/reports-interface.ts'
import { addCalls, type CallStatistics, countCall, noCalls } from '#domain/calls/call-statistics.ts'
import type { EndedCall } from './read-ended-calls-by-time.ts'

/** Sums of provider attempts by account and model. Each attempt counts for the target that it called. */
export class TargetSums {
  readonly #sums = new Map<string, TargetSum>()

  get size(): number {
    return this.#sums.size
  }

  all(): readonly TargetFigures[] {
    return [...this.#sums.values()]
  }

  add(call: EndedCall): void {
    const { accountId, attempts, firstByteMs, latencyMs, model } = call
    for (const { code, durationMs, firstByteMs: headMs, target } of attempts) {
      const sum = this.sumOf(target.accountId, target.model)
      countCall(sum, failureClassOf({ errorCode: code, httpStatus: 502 }), durationMs, headMs)
    }
    if (accountId === null || model === null || isAmongAttempts(call)) return
    const last = attempts.at(-1)
    // The recorded times of a call count from its first attempt, so subtract `beforeMs`, the time spent on earlier
    // targets.
    const beforeMs = last === undefined ? 0 : last.atMs + last.durationMs
    const headMs = firstByteMs === null ? null : Math.max(0, firstByteMs - beforeMs)
    countCall(this.sumOf(accountId, model), failureClassOf(call), Math.max(0, latencyMs - beforeMs), headMs)
  }

  merge(figures: TargetFigures): void {
    addCalls(this.sumOf(figures.accountId, figures.model), figures)
  }

  /** Returns the sum for this account and model. Adds a new sum if none exists. */
  sumOf(accountId: string, model: string): TargetSum {
    const key = `${accountId}\n${model}`
    let sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, (sum = { accountId, model, ...noCalls() }))
    return sum
  }
}

export type TargetSum = CallStatistics & TargetFigures

/** Whether the last failed attempt is also the end of the call, because all attempts failed. */
function isAmongAttempts({ accountId, attempts, errorCode, isCharged, model }: EndedCall): boolean {
  const last = attempts.at(-1)
  if (isCharged || last === undefined) return false
  return last.code === errorCode && last.target.accountId === accountId && last.target.model === model
}
