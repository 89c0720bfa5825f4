/**
 * Converts a hold to a charge. The legs of the hold pay in their order, and the rest of the hold is returned to its
 * sources. An excess above the hold, if the policy allows it, is taken from the sources that can pay now, in spend
 * order. The wallet pays what these sources cannot pay, even if its balance falls below 0. Only this remainder can
 * overdraw a wallet.
 *
 * A charge at or below the hold can always be collected, because the money is held. Balances are then read only to
 * verify them.
 */
import { assertMoney } from './amount.ts'
import { billedOf, chargeOf } from './charge-ceiling.ts'
import { costOf, providerCost } from './cost.ts'
import { assertHold, type Hold, type Leg, type Source } from './decision-types.ts'
import { assertPaid, type Paid, paidBy, withGivenParts } from './charge-split-by-payer.ts'
import { holdPosting, legPostings, type Posting } from './posting.ts'
import { allocate, payersOfLegs, payersOfSources, payingSources, type Allocation } from './payment-sources.ts'
import { accountUsage, type Usage } from './usage-counts.ts'

export interface Settlement {
  /** Includes output beyond the maximum of the request. */
  readonly costMicros: bigint
  /** See assumed-rates.ts. */
  readonly assumedMicros: bigint
  /**
   * The sell price of the charged usage (`billedOf`), from which the margin is computed. The end user is charged this
   * price only if the sell price is the debit basis.
   */
  readonly billedMicros: bigint
  readonly chargeMicros: bigint
  /**
   * The part of the usage's price that exceeds the maximum charge. The debit basis decides whether the price is the
   * sell price or the cost. The application bears this cost, because the amount is neither charged nor billed. An
   * amount above 0 raises an alarm.
   */
  readonly overHoldMicros: bigint
  /** First the used part of the hold's legs, then the amounts above the hold. */
  readonly legs: readonly Leg[]
  /** The parts add up to `chargeMicros`. */
  readonly paid: Paid
  /** Each source has one posting, which returns the held amount and debits the charged amount. */
  readonly postings: readonly Posting[]
}

export interface SettleInput {
  readonly hold: Hold
  /** Must be plausible (usage-counts.ts). */
  readonly usage: Usage
  /** Must include the sources of the hold and the sources that may pay now. */
  readonly sources: readonly Source[]
  readonly nowMs: number
}

export function settle({ hold, usage, sources, nowMs }: SettleInput): Settlement {
  assertHold(hold)
  const { quote } = hold
  const cost = providerCost(usage, quote)
  const sold = quote.sell === quote.cost ? cost : costOf(usage, quote.sell)
  const debit = quote.basis === 'sell_price' ? sold : cost
  const used = {
    micros: debit.amount,
    credits: quote.credits === null ? 0n : costOf(usage, quote.credits).amount,
  }
  const charge = chargeOf(used, hold)

  const within = allocate(charge.micros, charge.credits, payersOfLegs(hold.legs))
  const beyond = collectBeyond(hold, within, sources, nowMs)
  const all = beyond.legs.length === 0 ? within.legs : [...within.legs, ...beyond.legs]
  const legs = withGivenParts(all, sources)
  assertMoney(
    charge.micros > hold.worstMicros || charge.credits > hold.worstCredits || beyond.legs.length === 0,
    'settle: a charge within the hold is paid by the hold',
  )
  const paidMicros = legs.reduce((sum, leg) => sum + leg.micros, 0n)
  assertMoney(paidMicros === charge.micros, 'settle: the legs add up to the charge')

  const ofAccount = usage.outputBeyond === undefined ? cost : providerCost(accountUsage(usage), quote)
  const paid = paidBy(legs, sources)
  assertPaid(paid, charge.micros)

  return {
    costMicros: ofAccount.amount,
    assumedMicros: ofAccount.assumed,
    billedMicros: billedOf(sold.amount, used.micros, charge.micros),
    chargeMicros: charge.micros,
    overHoldMicros: used.micros - charge.micros,
    legs,
    paid,
    postings: settlePostings(hold, legs, sources, beyond.overdraftMicros),
  }
}

const nothingBeyond = { legs: [], overdraftMicros: 0n }

function collectBeyond(
  hold: Hold,
  { uncoveredMicros, uncoveredCredits }: Allocation,
  sources: readonly Source[],
  nowMs: number,
): { readonly legs: readonly Leg[]; readonly overdraftMicros: bigint } {
  if (uncoveredMicros === 0n && uncoveredCredits === 0n) return nothingBeyond
  const paying = payingSources(hold.bound.alias, hold.quote, { nowMs, sources })
  const payers = payersOfSources(paying, uncoveredCredits)
  const forward = allocate(uncoveredMicros, uncoveredCredits, payers)
  const overdraftMicros = forward.uncoveredMicros
  if (overdraftMicros === 0n) return { legs: forward.legs, overdraftMicros }
  const wallet = sources.find(({ kind }) => kind === 'wallet')
  assertMoney(wallet !== undefined, 'settle: everyone has a wallet')
  const leg: Leg = {
    sourceId: wallet.id,
    kind: 'wallet',
    unit: 'micros',
    amount: overdraftMicros,
    micros: overdraftMicros,
  }
  return { legs: [...forward.legs, leg], overdraftMicros }
}

function settlePostings(
  hold: Hold,
  legs: readonly Leg[],
  sources: readonly Source[],
  overdraftMicros: bigint,
): Posting[] {
  for (const { sourceId, amount } of hold.legs) {
    // A leg of amount 0 holds nothing. The source of a leg of amount 0 may have ended, and may not be loaded.
    if (amount === 0n) continue
    const source = sources.find(({ id }) => id === sourceId)
    assertMoney(source !== undefined && source.held >= amount, 'settle: the source holds what was promised')
  }
  const postings = legPostings(hold.legs, 'give_back')
  for (const leg of legs) {
    // A leg of amount 0 (see `allocate`) writes no entry.
    if (leg.amount === 0n) continue
    let at = postings.findIndex(({ sourceId }) => sourceId === leg.sourceId)
    if (at === -1) at = postings.push(holdPosting(leg.sourceId, leg.unit, 0n)) - 1
    const posting = postings[at]
    assertMoney(posting !== undefined && posting.unit === leg.unit, 'settle: a source has one unit')
    postings[at] = {
      ...posting,
      postedDelta: posting.postedDelta - leg.amount,
      entry: 'usage_debit',
      mayOverdraw: leg.kind === 'wallet' && overdraftMicros > 0n,
    }
  }
  return postings
}
