import { type FailureClass, failureClassOf } from '#domain/failure-class.ts'
import { Histogram } from '#domain/histogram.ts'
import type { EndedCall } from './ended-calls.ts'

/** Calls of one account, name and bundle, added up. */
export interface CallSum {
  readonly accountId: string | null
  readonly alias: string | null
  readonly bundle: string | null
  calls: number
  /** Those of `calls` that were charged. */
  charged: number
  readonly failed: Record<FailureClass, number>
  costMicros: bigint
  billedMicros: bigint
  chargeMicros: bigint
  overHoldMicros: bigint
  readonly latencyMs: Histogram
  readonly firstByteMs: Histogram
}

export class CallSums {
  readonly #sums = new Map<string, CallSum>()

  all(): readonly CallSum[] {
    return [...this.#sums.values()]
  }

  add(call: EndedCall): void {
    const { accountId, alias, money } = call
    const bundle = money && money.bundle
    const key = `${accountId}\n${alias}\n${bundle}`
    let sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, (sum = emptySum({ accountId, alias, bundle })))
    sum.calls += 1
    const failure = failureClassOf(call)
    if (failure !== null) sum.failed[failure] += 1
    sum.latencyMs.add(call.latencyMs)
    if (call.firstByteMs !== null) sum.firstByteMs.add(call.firstByteMs)
    if (money === null) return
    sum.charged += 1
    sum.costMicros += money.costMicros
    sum.billedMicros += money.billedMicros
    sum.chargeMicros += money.chargeMicros
    sum.overHoldMicros += money.overHoldMicros
  }
}

function emptySum(of: Pick<CallSum, 'accountId' | 'alias' | 'bundle'>): CallSum {
  return {
    ...of,
    calls: 0,
    charged: 0,
    failed: { client: 0, limit: 0, provider: 0, ours: 0 },
    costMicros: 0n,
    billedMicros: 0n,
    chargeMicros: 0n,
    overHoldMicros: 0n,
    latencyMs: new Histogram(),
    firstByteMs: new Histogram(),
  }
}
