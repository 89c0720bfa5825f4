/** How far the termination policy of a hold lets a call go. */
import { assertMoney, ceilDiv, minOf } from './amount.ts'
import type { Quote } from './hold.ts'
import type { Demand } from './worst-case.ts'

/** The parts of a hold that set its ceiling. The usage record keeps them after the hold has ended. */
export interface Promised {
  readonly quote: Quote
  readonly worstMicros: bigint
  readonly worstCredits: bigint
}

/**
 * The most that may be charged; null: everything that was used. An overdraft is set in micros; in credits it
 * is the same share of the hold.
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
 * What is billed for a call that is charged in part only: the same part of its sell price, rounded up once.
 * It equals the charge where the sell price is the basis.
 * @param sold the sell price of all that was used
 * @param used the use of the call at the basis price
 */
export function billedOf(sold: bigint, used: bigint, charge: bigint): bigint {
  assertMoney(charge <= used, 'billedOf: no more is charged than was used')
  const billed = charge === used ? sold : ceilDiv(sold * charge, used)
  assertMoney(billed <= sold, 'billedOf: no more is billed than the sell price')
  return billed
}

/** What is charged of what was used. */
export function chargeOf(used: Demand, promised: Promised): Demand {
  const ceiling = ceilingOf(promised)
  assertMoney(used.micros >= 0n && used.credits >= 0n, 'chargeOf: no use is negative')
  if (ceiling === null) return used
  return { micros: minOf(used.micros, ceiling.micros), credits: minOf(used.credits, ceiling.credits) }
}
