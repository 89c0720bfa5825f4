/**
 * Decides whether a request may spend money, and how much is held for it. No other code rejects a request for lack of
 * money. An admitted request can be settled up to its worst case without another check.
 *
 * The checks that block an end user for a long time come first.
 *
 * If the balance or a limit does not cover the worst case, the hold first covers fewer uses of the provider's tools. If
 * not even one tool use is covered, the hold covers the largest output that the balance and the limits cover. A high
 * maximum output alone therefore does not reject a request, because most answers never reach their maximum.
 */
import { assertMoney } from './amount.ts'
import { assertHold, type CallBound, type Hold, type PersonState, type Quote } from './decision-types.ts'
import { legPostings, type Posting } from './posting.ts'
import type { Refusal } from './refusal-types.ts'
import { headroomOf, headroomRefusal } from './headroom.ts'
import { hasRateRoom, rateRefusal } from './rate-limit.ts'
import {
  allocate,
  isCovered,
  overdueOnDemand,
  payersOfSources,
  payingSources,
  type Allocation,
} from './payment-sources.ts'
import { eligibility } from './caller-eligibility.ts'
import { demandAt, isHoldable, mostThatFits, withToolUses, worstCase, type Demand } from './worst-case.ts'

export interface Admitted {
  readonly kind: 'admitted'
  readonly hold: Hold
  readonly postings: readonly Posting[]
  /** Maximum number of output tokens per choice, as sent to the provider. */
  readonly outputTokensPerChoice: number
  readonly isClamped: boolean
}

export function admit(
  state: PersonState,
  quote: Quote,
  bound: CallBound,
  callId: string,
): Admitted | Refusal {
  assertMoney(Number.isSafeInteger(bound.choices) && bound.choices >= 1, 'admit: a call has a choice')
  const barred = eligibility(state)
  if (barred !== null) return barred

  const worst = worstCase(quote, bound)
  const whole = demandAt(worst, bound.outputTokens)
  const sources = payingSources(bound.alias, quote, state)
  const payers = payersOfSources(sources, whole.credits)
  const room = headroomOf(state.limits)
  const rates = state.rates ?? []
  const tryFit = (demand: Demand, of: CallBound): Fitting | null => {
    if (!isHoldable(demand) || (room !== null && demand.micros > room)) return null
    if (!hasRateRoom(rates, demand.micros, of)) return null
    const allocation = allocate(demand.micros, demand.credits, payers)
    return isCovered(allocation) ? { demand, allocation } : null
  }
  const tokensMax = Math.floor(bound.outputTokens / bound.choices)

  const fit = tryFit(whole, bound)
  if (fit !== null) return admitted(quote, bound, callId, fit, tokensMax, false)
  const { tools } = bound
  if (tools !== undefined && tools.usesMax > 1) {
    const withUses = (uses: number): CallBound => withToolUses(bound, tools, uses)
    const tryUses = (uses: number): Fitting | null =>
      tryFit(demandAt(worstCase(quote, withUses(uses)), bound.outputTokens), withUses(uses))
    const fewer = tools.uses === 1 ? null : mostThatFits(tools.uses - 1, tryUses)
    if (fewer !== null) return admitted(quote, withUses(fewer.count), callId, fewer.fit, tokensMax, false)
    return admit(state, quote, withUses(1), callId)
  }
  const withOutput = (outputTokens: number): CallBound => ({ ...bound, outputTokens })
  const refused = (demand: Demand, of: CallBound): Refusal => {
    const byRate = rateRefusal(rates, demand.micros, of, state.nowMs)
    return headroomRefusal(state.limits, sources, demand, overdueOnDemand(sources, state), byRate)
  }
  if (tokensMax < 1) return refused(whole, bound)

  const { choices } = bound
  const most = mostThatFits(tokensMax, (tokens) =>
    tryFit(demandAt(worst, tokens * choices), withOutput(tokens * choices)),
  )
  if (most === null) return refused(demandAt(worst, choices), withOutput(choices))
  const clamped = withOutput(most.count * choices)
  return admitted(quote, clamped, callId, most.fit, most.count, most.count < tokensMax)
}

interface Fitting {
  readonly demand: Demand
  readonly allocation: Allocation
}

function admitted(
  quote: Quote,
  bound: CallBound,
  callId: string,
  { demand, allocation }: Fitting,
  outputTokensPerChoice: number,
  isClamped: boolean,
): Admitted {
  const { legs } = allocation
  const hold: Hold = {
    callId,
    quote,
    bound,
    worstMicros: demand.micros,
    worstCredits: demand.credits,
    legs,
  }
  assertHold(hold)
  return {
    kind: 'admitted',
    hold,
    postings: legPostings(legs, 'hold'),
    outputTokensPerChoice,
    isClamped,
  }
}
