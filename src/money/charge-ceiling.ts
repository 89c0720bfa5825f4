import { assertMoney, ceilDiv, minOf } from './amount.ts'
import type { Quote } from './decision-types.ts'
import type { Demand } from './worst-case.ts'

/** The usage record keeps these fields after the hold has ended. */
export interface Promised {
  readonly quote: Quote
  readonly worstMicros: bigint
  readonly worstCredits: bigint
}

/**
 * Null means that all usage is charged. Under the policy `grace`, the maximum is the hold plus an overdraft. The
 * overdraft is set in micros. In credits, the overdraft is the same fraction of the hold as in micros.
 */
export function ceilingOf({ quote, worstMicros, worstCredits }: Promised): Demand | null {
  if (quote.policy === 'complete_message') return null
  if (quote.policy === 'hard_token') return { micros: worstMicros, credits: worstCredits }
  const overdraft = quote.maxOverdraftMicros
  assertMoney(overdraft >= 0n, 'ceilingOf: an overdraft is not negative')
  const credits = worstMicros === 0n ? 0n : ceilDiv(worstCredits * overdraft, worstMicros)
  return { micros: worstMicros + overdraft, credits: worstCredits + credits }
}

/**
 * Returns the billed amount of a request that is charged only in part: the same fraction of the sell price. The amount
 * is rounded up once. If the sell price is the debit basis, the billed amount equals the charge.
 * @param sold the sell price of all usage
 * @param used the price of all usage: the sell price or the cost, depending on the debit basis
 */
export function billedOf(sold: bigint, used: bigint, charge: bigint): bigint {
  assertMoney(charge <= used, 'billedOf: no more is charged than was used')
  const billed = charge === used ? sold : ceilDiv(sold * charge, used)
  assertMoney(billed <= sold, 'billedOf: no more is billed than the sell price')
  return billed
}

export function chargeOf(used: Demand, promised: Promised): Demand {
  const ceiling = ceilingOf(promised)
  assertMoney(used.micros >= 0n && used.credits >= 0n, 'chargeOf: no use is negative')
  if (ceiling === null) return used
  return { micros: minOf(used.micros, ceiling.micros), credits: minOf(used.credits, ceiling.credits) }
}
