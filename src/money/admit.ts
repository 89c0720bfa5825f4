/**
 * May this call spend, and how much is held for it? The only place that can say no: whatever is
 * admitted here can be settled up to its worst case without asking again.
 *
 * One fixed order, the most lasting reason first: the person, the key, the run (caller-eligibility.ts), then
 * room: the run's ceiling, the key's cap, the total of portal keys, the bundle's limit, the end user's own limits, the
 * paying sources together (headroom.ts).
 * When the worst case does not fit, the largest output that fits is held instead: a call is not refused for
 * an answer that will hardly be written.
 */
import { assertMoney } from './amount.ts'
import { assertHold, type CallBound, type Hold, type PersonState, type Quote } from './hold.ts'
import { legPostings, type Posting } from './posting.ts'
import type { Refusal } from './refusal.ts'
import { headroomOf, headroomRefusal } from './headroom.ts'
import {
  allocate,
  isCovered,
  overdueOnDemand,
  payersOfSources,
  payingSources,
  type Allocation,
} from './sources.ts'
import { eligibility } from './caller-eligibility.ts'
import { demandAt, isHoldable, mostThatFits, worstCase, type Demand } from './worst-case.ts'

export interface Admitted {
  readonly kind: 'admitted'
  readonly hold: Hold
  readonly postings: readonly Posting[]
  /** How long each answer may be: the maximum to give to the provider. */
  readonly outputTokensPerChoice: number
  /** Shorter than was asked for. */
  readonly isClamped: boolean
}

/** Pure: the same state gives the same hold or the same refusal. */
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
  const tryFit = (demand: Demand): Fitting | null => {
    if (!isHoldable(demand) || (room !== null && demand.micros > room)) return null
    const allocation = allocate(demand.micros, demand.credits, payers)
    return isCovered(allocation) ? { demand, allocation } : null
  }
  const tokensMax = Math.floor(bound.outputTokens / bound.choices)

  const fit = tryFit(whole)
  if (fit !== null) return admitted(quote, bound, callId, fit, tokensMax, false)
  const refused = (demand: Demand): Refusal =>
    headroomRefusal(state.limits, sources, demand, overdueOnDemand(sources, state))
  if (tokensMax < 1) return refused(whole)

  const most = mostThatFits(tokensMax, (tokens) => tryFit(demandAt(worst, tokens * bound.choices)))
  if (most === null) return refused(demandAt(worst, bound.choices))
  const clamped = { ...bound, outputTokens: most.count * bound.choices }
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
