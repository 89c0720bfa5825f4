import { type FailureClass, failureClassOf } from '#domain/failure-class.ts'
import { Histogram } from '#domain/histogram.ts'
import { addMoney, type Money, zeroMoney } from '#domain/figures.ts'
import { type EndedCall, partsOf } from './ended-calls.ts'

/**
 * Sums of calls of one account, name and bundle. `calls` is 0 if this account only has failed attempts of calls that
 * others answered.
 */
export interface CallSum extends Money {
  readonly accountId: string | null
  readonly alias: string | null
  readonly bundle: string | null
  calls: number
  /** How many of `calls` were charged. */
  charged: number
  readonly failed: Record<FailureClass, number>
  readonly latencyMs: Histogram
  readonly firstByteMs: Histogram
}

export class CallSums {
  readonly #sums = new Map<string, CallSum>()

  all(): readonly CallSum[] {
    return [...this.#sums.values()]
  }

  add(call: EndedCall): void {
    for (const { accountId, bundle, isCall, money } of partsOf(call)) {
      const sum = this.#sumOf(accountId, call.alias, bundle)
      if (isCall) count(sum, call)
      if (money !== null) addMoney(sum, money)
    }
  }

  #sumOf(accountId: string | null, alias: string | null, bundle: string | null): CallSum {
    const key = `${accountId}\n${alias}\n${bundle}`
    let sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, (sum = emptySum({ accountId, alias, bundle })))
    return sum
  }
}

function count(sum: CallSum, call: EndedCall): void {
  sum.calls += 1
  if (call.money !== null) sum.charged += 1
  const failure = failureClassOf(call)
  if (failure !== null) sum.failed[failure] += 1
  sum.latencyMs.add(call.latencyMs)
  if (call.firstByteMs !== null) sum.firstByteMs.add(call.firstByteMs)
}

function emptySum(of: Pick<CallSum, 'accountId' | 'alias' | 'bundle'>): CallSum {
  return {
    ...of,
    calls: 0,
    charged: 0,
    failed: { client: 0, limit: 0, provider: 0, ours: 0 },
    ...zeroMoney(),
    latencyMs: new Histogram(),
    firstByteMs: new Histogram(),
  }
}
