/**
 * One hold for several targets, before it is known which of them answers. The person pays one price; what differs is
 * what a target costs, so a hold that suffices for the dearest of some suffices for each of them.
 */
import { admit, type Admitted } from './admit.ts'
import { eligibility } from './caller-eligibility.ts'
import { assertMoney } from './amount.ts'
import type { CallBound, PersonState, Quote } from './hold.ts'
import type { Refusal } from './refusal.ts'

export interface Offer {
  /** The dearest that may answer: the worst case is its. */
  readonly covers: Quote
  /** The one that is called first: the call is charged by it unless another is called. */
  readonly quote: Quote
  /** What the call may use at most, at any of them. */
  readonly bound: CallBound
  /** A shorter answer will do: false where leaving out the dearest target keeps it whole. */
  readonly mayClamp: boolean
}

export interface AdmittedOffer extends Admitted {
  /** Which of the offers it is. */
  readonly offer: number
}

/**
 * The first offer that fits: whole, or shortened where it may be. The refusal is that of the last one, which needs the
 * least.
 */
export function admitOffer(
  state: PersonState,
  offers: readonly Offer[],
  callId: string,
): AdmittedOffer | Refusal {
  const barred = eligibility(state)
  if (barred !== null) return barred
  let refusal: Refusal | null = null
  for (const [at, { bound, covers, mayClamp, quote }] of offers.entries()) {
    const decision = admit(state, covers, bound, callId)
    if (decision.kind === 'refused') refusal = decision
    else if (mayClamp || !decision.isClamped)
      return { ...decision, hold: quote === covers ? decision.hold : { ...decision.hold, quote }, offer: at }
  }
  assertMoney(refusal !== null, 'admit: the last offer may be shortened, so it fits or is refused')
  return refusal
}
