import { failureClassOf } from '#domain/health/class-of-failure.ts'
import type { TargetFigures } from '#domain/reports/reports-interface.ts'
import { addCalls, type CallStatistics, countCall, noCalls } from '#domain/calls/call-statistics.ts'
import type { EndedCall } from './read-ended-calls-by-time.ts'

/** Each attempt counts for the target that it called. */
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
    // A call's recorded times begin at its first attempt, so subtract the time spent on earlier targets.
    const beforeMs = last === undefined ? 0 : last.atMs + last.durationMs
    const headMs = firstByteMs === null ? null : Math.max(0, firstByteMs - beforeMs)
    countCall(this.sumOf(accountId, model), failureClassOf(call), Math.max(0, latencyMs - beforeMs), headMs)
  }

  merge(figures: TargetFigures): void {
    addCalls(this.sumOf(figures.accountId, figures.model), figures)
  }

  sumOf(accountId: string, model: string): TargetSum {
    const key = `${accountId}\n${model}`
    let sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, (sum = { accountId, model, ...noCalls() }))
    return sum
  }
}

export type TargetSum = CallStatistics & TargetFigures

/** If all attempts failed, the last attempt is also the end of the call. */
function isAmongAttempts({ accountId, attempts, errorCode, isCharged, model }: EndedCall): boolean {
  const last = attempts.at(-1)
  if (isCharged || last === undefined) return false
  return last.code === errorCode && last.target.accountId === accountId && last.target.model === model
}
