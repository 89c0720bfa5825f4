import { addMoney, type Money, zeroMoney } from '#domain/sums-of-request-figures.ts'
import { failureClassOf } from '#domain/health/class-of-failure.ts'
import { type CallStatistics, countCall, noCalls } from '#domain/calls/call-statistics.ts'
import { type EndedCall, partsOf } from './read-ended-calls-by-time.ts'

/**
 * Sums by account, model name and bundle. `calls` is 0 if all attempts at the account failed and other accounts
 * returned the responses.
 */
export interface CallSum extends Money, CallStatistics {
  readonly accountId: string | null
  readonly alias: string | null
  readonly bundle: string | null
  /** Number of `calls` that were charged. */
  charged: number
}

export class CallSums {
  readonly #sums = new Map<string, CallSum>()

  get size(): number {
    return this.#sums.size
  }

  all(): readonly CallSum[] {
    return [...this.#sums.values()]
  }

  add(call: EndedCall): void {
    for (const { accountId, bundle, isCall, money } of partsOf(call)) {
      const sum = this.sumOf(accountId, call.alias, bundle)
      if (isCall) {
        countCall(sum, failureClassOf(call), call.latencyMs, call.firstByteMs)
        if (call.money !== null) sum.charged += 1
      }
      if (money !== null) addMoney(sum, money)
    }
  }

  /** Adds a new sum if none exists. */
  sumOf(accountId: string | null, alias: string | null, bundle: string | null): CallSum {
    const key = `${accountId}\n${alias}\n${bundle}`
    let sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, (sum = emptySum({ accountId, alias, bundle })))
    return sum
  }
}

function emptySum(of: Pick<CallSum, 'accountId' | 'alias' | 'bundle'>): CallSum {
  return { ...of, ...noCalls(), charged: 0, ...zeroMoney() }
}
