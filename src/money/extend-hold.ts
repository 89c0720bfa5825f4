/**
 * Extends the hold of a request in flight, so that a low first estimate does not cut off a long answer.
 *
 * The whole hold is allocated again, as if its own legs had been returned first. The result is one list of legs in
 * spend order, which can pay any charge up to the hold. The legs of two separate allocations could have different
 * ratios of money to credits, and could not pay every such charge. The legs of sources that can no longer pay remain
 * unchanged and come first. For example, a source can no longer pay if on-demand billing is disabled or if the period
 * of a pool has ended.
 */
import { assertMoney } from './amount.ts'
import {
  assertHold,
  type CallBound,
  type Hold,
  type Leg,
  type PersonState,
  type Source,
} from './decision-types.ts'
import { holdPosting, legPostings, type Posting } from './posting.ts'
import { headroomOf } from './headroom.ts'
import { hasRateRoomToGrow } from './rate-limit.ts'
import {
  allocate,
  available,
  isCovered,
  payersOfLegs,
  payingSources,
  unitOf,
  type Payer,
} from './payment-sources.ts'
import { eligibility } from './caller-eligibility.ts'
import { demandAt, isHoldable, mostThatFits, worstCase, type Demand } from './worst-case.ts'

export interface Extended {
  readonly kind: 'extended'
  readonly hold: Hold
  readonly postings: readonly Posting[]
  readonly addedOutputTokens: number
  /** Absent if the extension is not for tool uses. */
  readonly addedToolUses?: number
}

export interface NoRoom {
  readonly kind: 'no_room'
}

/**
 * Extends the hold by as many of `moreOutputTokens` (over all choices) as the sources and limits allow. The amounts in
 * `state` already include this hold. An end user who may not start a request may not extend a hold.
 */
export function extend(state: PersonState, hold: Hold, moreOutputTokens: number): Extended | NoRoom {
  assertMoney(Number.isSafeInteger(moreOutputTokens), 'extend: more output is a count')
  assertMoney(moreOutputTokens >= 1, 'extend: at least one token more')
  const { bound, quote } = hold
  const worst = worstCase(quote, bound)
  return grown(state, hold, moreOutputTokens, (more) => {
    const outputTokens = bound.outputTokens + more
    return {
      bound: { ...bound, outputTokens },
      demand: demandAt(worst, outputTokens),
      added: { addedOutputTokens: more },
    }
  })
}

/** Extends the hold by as many of `moreUses` as the sources, the limits and the provider's maximum allow. */
export function extendUses(state: PersonState, hold: Hold, moreUses: number): Extended | NoRoom {
  assertMoney(Number.isSafeInteger(moreUses) && moreUses >= 1, 'extendUses: more uses is a count')
  const { bound, quote } = hold
  const { tools } = bound
  const most = tools === undefined ? 0 : Math.min(moreUses, tools.usesMax - tools.uses)
  if (tools === undefined || most < 1) return { kind: 'no_room' }
  return grown(state, hold, most, (more) => {
    const longer = { ...bound, tools: { ...tools, uses: tools.uses + more } }
    return {
      bound: longer,
      demand: demandAt(worstCase(quote, longer), bound.outputTokens),
      added: { addedOutputTokens: 0, addedToolUses: more },
    }
  })
}

interface Growth {
  readonly bound: CallBound
  readonly demand: Demand
  readonly added: Pick<Extended, 'addedOutputTokens' | 'addedToolUses'>
}

/**
 * @param growthOf returns the bound and the demand of the hold after it has grown by a count from 1 to `countMax`; the
 *   demand must never decrease as the count grows
 */
function grown(
  state: PersonState,
  hold: Hold,
  countMax: number,
  growthOf: (count: number) => Growth,
): Extended | NoRoom {
  assertHold(hold)
  if (eligibility(state) !== null) return { kind: 'no_room' }
  const payers = payersAgain(payingSources(hold.bound.alias, hold.quote, state), hold)
  const room = headroomOf(state.limits)
  const { rates = [] } = state
  const most = mostThatFits(countMax, (count) => {
    const growth = growthOf(count)
    const demand = atLeastHeld(growth.demand, hold)
    if (!isHoldable(demand) || (room !== null && demand.micros - hold.worstMicros > room)) return null
    if (!hasRateRoomToGrow(rates, hold, demand.micros, growth.bound)) return null
    const allocation = allocate(demand.micros, demand.credits, payers)
    return isCovered(allocation) ? { growth, demand, legs: allocation.legs } : null
  })
  if (most === null) return { kind: 'no_room' }

  const { demand, growth, legs } = most.fit
  assertMoney(demand.micros >= hold.worstMicros, 'extend: an extension never holds less')
  const extended: Hold = {
    ...hold,
    bound: growth.bound,
    worstMicros: demand.micros,
    worstCredits: demand.credits,
    legs,
  }
  assertHold(extended)
  return {
    kind: 'extended',
    hold: extended,
    postings: postingsBetween(hold.legs, legs),
    ...growth.added,
  }
}

/**
 * A hold for a more expensive target may already exceed the worst case of the target that responds
 * (admit-hold-for-several-targets.ts).
 */
function atLeastHeld({ credits, micros }: Demand, { worstCredits, worstMicros }: Hold): Demand {
  return {
    micros: micros < worstMicros ? worstMicros : micros,
    credits: credits < worstCredits ? worstCredits : credits,
  }
}

/** Computes the capacities as if this hold had first been returned in full. */
function payersAgain(sources: readonly Source[], hold: Hold): Payer[] {
  const payers = payersOfLegs(hold.legs.filter((leg) => !sources.some(({ id }) => id === leg.sourceId)))
  for (const source of sources) {
    const unit = unitOf(source)
    const own = hold.legs.find(({ sourceId }) => sourceId === source.id)?.amount ?? 0n
    // Credit pools do not pay for a request without a credit price, as in `payersOfSources`.
    if (unit === 'credits' && hold.worstCredits === 0n) continue
    const free = available(source)
    // A reversal may have reduced the wallet below 0. The part of the hold that is already held from the wallet remains
    // valid.
    const capacity = free === null ? null : own + (free > 0n ? free : 0n)
    payers.push({ sourceId: source.id, kind: source.kind, unit, capacity })
  }
  return payers
}

function postingsBetween(before: readonly Leg[], after: readonly Leg[]): Posting[] {
  const postings: Posting[] = []
  for (const leg of after) {
    const old = before.find(({ sourceId }) => sourceId === leg.sourceId)?.amount ?? 0n
    if (leg.amount !== old) postings.push(holdPosting(leg.sourceId, leg.unit, leg.amount - old))
  }
  const gone = before.filter((leg) => !after.some(({ sourceId }) => sourceId === leg.sourceId))
  return [...postings, ...legPostings(gone, 'give_back')]
}
