import { addMoney, type Money, zeroMoney } from '#domain/sums-of-request-figures.ts'
import type { EndedCall, EndedRun } from './read-ended-calls-by-time.ts'

/** The charged calls of a run, and the cost of calls that were not charged. */
export interface RunSum extends Money {
  readonly run: EndedRun
  calls: number
}

export class RunSums {
  readonly #sums = new Map<string, RunSum>()

  get size(): number {
    return this.#sums.size
  }

  all(): readonly RunSum[] {
    return [...this.#sums.values()]
  }

  add({ attemptCosts, money, run }: EndedCall): void {
    if (run === null) return
    if (money !== null) this.merge({ run, calls: 1, ...money })
    else for (const { costMicros } of attemptCosts) this.merge({ run, calls: 0, ...zeroMoney(), costMicros })
  }

  merge({ run, ...more }: Readonly<RunSum>): void {
    const sum = this.sumOf(run)
    sum.calls += more.calls
    addMoney(sum, more)
  }

  sumOf(run: EndedRun): RunSum {
    const key = `${run.outcomeSlug}\n${run.runId}\n${run.endUserId}`
    let sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, (sum = { run, calls: 0, ...zeroMoney() }))
    return sum
  }
}
