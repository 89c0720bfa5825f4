/**
 * The late truth of a call. Its process was silent, another one recovered the call at its last checkpoint, and then
 * the true usage became known. The charge is corrected by the difference, in either direction, once.
 */
import { assertMoney, minOf } from './amount.ts'
import { billedOf, chargeOf } from './charge.ts'
import { costOf } from './cost.ts'
import type { Leg, Quote, Source } from './hold.ts'
import { entryPosting, type Posting } from './posting.ts'
import { allocate, payersOfSources, payingSources } from './sources.ts'
import { accountUsage, type Usage } from './usage.ts'

export interface LateUsage {
  readonly quote: Quote
  /** What the hold was for: the most that the call may be charged in all. */
  readonly worstMicros: bigint
  readonly recovered: Usage
  readonly truth: Usage
  /** Charged so far: by the recovery, less refunds. */
  readonly chargeMicros: bigint
  /** What the recovery charged. */
  readonly recoveredMicros: bigint
  readonly recoveredBilledMicros: bigint
}

export interface LateDifference {
  readonly costMicros: bigint
  readonly billedMicros: bigint
  /** Above 0: to be charged. Below 0: to be given back, at most what is still charged. */
  readonly chargeMicros: bigint
  /** In credits, what is to be charged more; 0n where nothing is. */
  readonly credits: bigint
}

/** By how much the true usage differs from what the call was recovered with. */
export function lateDifference(late: LateUsage): LateDifference {
  const { chargeMicros, quote, recovered, recoveredBilledMicros, recoveredMicros, truth, worstMicros } = late
  const cost = costOf(truth, quote.cost).amount
  const sold = costOf(truth, quote.sell).amount
  const used = quote.basis === 'sell_price' ? sold : cost
  const allowed = chargeOf({ micros: used, credits: 0n }, { quote, worstMicros, worstCredits: 0n }).micros
  const charge = minOf(allowed, worstMicros)
  const difference = charge - recoveredMicros
  const credits =
    quote.credits === null
      ? 0n
      : costOf(truth, quote.credits).amount - costOf(recovered, quote.credits).amount
  return {
    costMicros: accountCost(truth, quote) - accountCost(recovered, quote),
    billedMicros: billedOf(sold, used, charge) - recoveredBilledMicros,
    chargeMicros: difference < -chargeMicros ? -chargeMicros : difference,
    credits: difference > 0n && credits > 0n ? credits : 0n,
  }
}

/** What the provider account is charged, also for output beyond the maximum. */
function accountCost(usage: Usage, quote: Quote): bigint {
  return costOf(accountUsage(usage), quote.cost).amount
}

export interface LateCharge {
  readonly legs: readonly Leg[]
  readonly postings: readonly Posting[]
  /** What no source could pay: the hold is long gone, and nobody is overdrawn for a process that was silent. */
  readonly uncollectedMicros: bigint
}

/** Collects a late difference from the sources that can pay now, in spend order. */
export function lateCharge(
  { chargeMicros, credits }: Pick<LateDifference, 'chargeMicros' | 'credits'>,
  alias: string,
  quote: Quote,
  sources: readonly Source[],
  nowMs: number,
): LateCharge {
  assertMoney(chargeMicros > 0n, 'lateCharge: there is something to charge')
  const payers = payersOfSources(payingSources(alias, quote, { nowMs, sources }), credits)
  const { legs, uncoveredMicros } = allocate(chargeMicros, credits, payers)
  const paid = legs.filter(({ amount }) => amount > 0n)
  const postings = paid.map(({ amount, sourceId, unit }) =>
    entryPosting(sourceId, unit, -amount, 'adjustment'),
  )
  return { legs: paid, postings, uncollectedMicros: uncoveredMicros }
}
