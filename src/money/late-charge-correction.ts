/**
 * Corrects the charge of a recovered request when its true usage becomes known late. The original process seemed to
 * have died, so another process has settled the request with the usage of the last checkpoint. Each charge is corrected
 * at most once, either up or down.
 */
import { assertMoney, minOf } from './amount.ts'
import { billedOf, chargeOf } from './charge-ceiling.ts'
import { costOf } from './cost.ts'
import type { Leg, Quote, Source } from './decision-types.ts'
import { entryPosting, type Posting } from './posting.ts'
import { allocate, payersOfSources, payingSources } from './payment-sources.ts'
import { accountUsage, type Usage } from './usage-counts.ts'

export interface LateUsage {
  readonly quote: Quote
  /** The amount of the hold, which is the maximum total charge. */
  readonly worstMicros: bigint
  readonly recovered: Usage
  readonly truth: Usage
  /** Refunds are subtracted. */
  readonly chargeMicros: bigint
  readonly recoveredMicros: bigint
  readonly recoveredBilledMicros: bigint
}

export interface LateDifference {
  readonly costMicros: bigint
  readonly billedMicros: bigint
  /**
   * A positive amount is charged, and a negative amount is returned. At most the part of the charge that is not yet
   * refunded is returned.
   */
  readonly chargeMicros: bigint
  /** In credits. 0n if nothing is to be charged. */
  readonly credits: bigint
}

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

/** Includes output beyond the maximum. */
function accountCost(usage: Usage, quote: Quote): bigint {
  return costOf(accountUsage(usage), quote.cost).amount
}

export interface LateCharge {
  readonly legs: readonly Leg[]
  readonly postings: readonly Posting[]
  /**
   * Amount that no source could pay. This amount is not charged, because the hold no longer exists. A fault of the
   * server must never overdraw an end user.
   */
  readonly uncollectedMicros: bigint
}

/** Collects an additional charge from the sources that can pay now, in spend order. */
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
