/**
 * Extends the hold of a request in flight, so that a low first estimate does not cut off a long answer.
 *
 * The whole hold is decided again, as if its own legs had been returned first. The result is one allocation in spend
 * order, and every settle within the hold fits this allocation. Two allocations in sequence would not guarantee that
 * for a request paid with both money and credits, because their ratios may differ. Legs of sources that can no longer
 * pay stay unchanged, in front. A source can no longer pay if, for example, its period is over or on-demand was
 * disabled.
 */
import { assertMoney } from './amount.ts'
import { assertHold, type Hold, type Leg, type PersonState, type Source } from './hold.ts'
import { holdPosting, legPostings, type Posting } from './posting.ts'
import { headroomOf } from './headroom.ts'
import { allocate, available, isCovered, payersOfLegs, payingSources, unitOf, type Payer } from './sources.ts'
import { eligibility } from './caller-eligibility.ts'
import { demandAt, isHoldable, mostThatFits, worstCase, type Demand } from './worst-case.ts'

export interface Extended {
  readonly kind: 'extended'
  readonly hold: Hold
  readonly postings: readonly Posting[]
  readonly addedOutputTokens: number
}

export interface NoRoom {
  readonly kind: 'no_room'
}

/**
 * Holds as many of `moreOutputTokens` (summed over all choices) as fit. The state already counts this hold as held. An
 * end user who may not start a request may not extend one.
 */
export function extend(state: PersonState, hold: Hold, moreOutputTokens: number): Extended | NoRoom {
  assertMoney(Number.isSafeInteger(moreOutputTokens), 'extend: more output is a count')
  assertMoney(moreOutputTokens >= 1, 'extend: at least one token more')
  assertHold(hold)
  if (eligibility(state) !== null) return { kind: 'no_room' }
  const { bound, quote } = hold
  const worst = worstCase(quote, bound)
  const payers = payersAgain(payingSources(bound.alias, quote, state), hold)
  const room = headroomOf(state.limits)
  const most = mostThatFits(moreOutputTokens, (more) => {
    const demand = atLeastHeld(demandAt(worst, bound.outputTokens + more), hold)
    if (!isHoldable(demand) || (room !== null && demand.micros - hold.worstMicros > room)) return null
    const allocation = allocate(demand.micros, demand.credits, payers)
    return isCovered(allocation) ? { demand, legs: allocation.legs } : null
  })
  if (most === null) return { kind: 'no_room' }

  const { demand, legs } = most.fit
  assertMoney(demand.micros >= hold.worstMicros, 'extend: an extension never holds less')
  const extended: Hold = {
    ...hold,
    bound: { ...bound, outputTokens: bound.outputTokens + most.count },
    worstMicros: demand.micros,
    worstCredits: demand.credits,
    legs,
  }
  assertHold(extended)
  return {
    kind: 'extended',
    hold: extended,
    postings: postingsBetween(hold.legs, legs),
    addedOutputTokens: most.count,
  }
}

/**
 * A hold that was created for a more expensive target may already exceed the responding target's worst case
 * (admit-offer.ts).
 */
function atLeastHeld({ credits, micros }: Demand, { worstCredits, worstMicros }: Hold): Demand {
  return {
    micros: micros < worstMicros ? worstMicros : micros,
    credits: credits < worstCredits ? worstCredits : credits,
  }
}

/** Returns how much each source could give this hold after the hold has returned everything. */
function payersAgain(sources: readonly Source[], hold: Hold): Payer[] {
  const payers = payersOfLegs(hold.legs.filter((leg) => !sources.some(({ id }) => id === leg.sourceId)))
  for (const source of sources) {
    const unit = unitOf(source)
    const own = hold.legs.find(({ sourceId }) => sourceId === source.id)?.amount ?? 0n
    // Same rule as in `payersOfSources`: credit pools do not pay for a request without a credit price.
    if (unit === 'credits' && hold.worstCredits === 0n) continue
    const free = available(source)
    // A reversal may have pushed the wallet below 0. The wallet's promise to this hold remains valid.
    const capacity = free === null ? null : own + (free > 0n ? free : 0n)
    payers.push({ sourceId: source.id, kind: source.kind, unit, capacity })
  }
  return payers
}

/** Moves `held` from the old legs to the new legs. */
function postingsBetween(before: readonly Leg[], after: readonly Leg[]): Posting[] {
  const postings: Posting[] = []
  for (const leg of after) {
    const old = before.find(({ sourceId }) => sourceId === leg.sourceId)?.amount ?? 0n
    if (leg.amount !== old) postings.push(holdPosting(leg.sourceId, leg.unit, leg.amount - old))
  }
  const gone = before.filter((leg) => !after.some(({ sourceId }) => sourceId === leg.sourceId))
  return [...postings, ...legPostings(gone, 'give_back')]
}
