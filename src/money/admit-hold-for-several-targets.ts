/**
 * Creates one hold for several targets before the gateway knows which target will respond. The end user pays the same
 * price for every target, but each target has its own cost. A hold for the most expensive target therefore covers a
 * response of any other target, too.
 */
import { admit, type Admitted } from './admit.ts'
import { eligibility } from './caller-eligibility.ts'
import { assertMoney } from './amount.ts'
import type { CallBound, PersonState, Quote } from './decision-types.ts'
import type { Refusal } from './refusal-types.ts'

export interface Offer {
  /** The quote of the most expensive target that may respond. */
  readonly covers: Quote
  /** The quote of the target that is called first. The gateway charges at this quote unless another target responds. */
  readonly quote: Quote
  readonly bound: CallBound
  /**
   * Whether the hold may cover less than the full output. False if a later offer without the most expensive target may
   * cover the full output.
   */
  readonly mayClamp: boolean
}

export interface AdmittedOffer extends Admitted {
  readonly offer: number
}

/**
 * Admits the first offer whose worst case can be held in full. With `mayClamp`, an offer is also admitted with a lower
 * maximum output, or with fewer uses of the provider's tools. If no offer fits, returns the refusal of the last offer,
 * which needs the least money.
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
    else if (mayClamp || !isShortened(decision, bound))
      return { ...decision, hold: quote === covers ? decision.hold : { ...decision.hold, quote }, offer: at }
  }
  assertMoney(refusal !== null, 'admit: the last offer may be shortened, so it fits or is refused')
  return refusal
}

function isShortened({ hold, isClamped }: Admitted, { tools }: CallBound): boolean {
  return isClamped || hold.bound.tools?.usesMax !== tools?.usesMax
}
