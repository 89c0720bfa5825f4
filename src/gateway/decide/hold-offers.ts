import type { Reservation, TargetOffer } from '#domain/ledger.ts'
import type { CallBound } from '#money/hold.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import type { Way } from './route-call.ts'

/** What to hold for a call, and which targets that covers. */
export interface HoldOffer extends TargetOffer {
  /** In the order in which they are called; `target` is the first one's. */
  readonly ways: readonly [Way, ...Way[]]
}

/**
 * What may be held for a call that several targets can answer, in the order to try. All of them, at the price of the
 * dearest; if that does not fit whole, without the dearest, and so on down to what the first one needs, which may be
 * shortened; then the same without the first one. So a dear target is left out rather than a call refused, or its
 * answer shortened for a target that is hardly ever called.
 * @param boundOf what the call may use at that target
 */
export function holdOffers(
  ways: readonly [Way, ...Way[]],
  boundOf: (way: Way) => CallBound,
): readonly [HoldOffer, ...HoldOffer[]] {
  if (ways.length === 1) {
    const { quote, target } = ways[0].plan
    return [{ covers: quote, quote, bound: boundOf(ways[0]), target, mayClamp: true, ways }]
  }
  const bound = ways.slice(1).reduce((most, way) => larger(most, boundOf(way)), boundOf(ways[0]))
  const priced = ways.map((way) => ({
    way,
    micros: demandAt(worstCase(way.plan.quote, bound), bound.outputTokens).micros,
  }))
  const offers: HoldOffer[] = []
  for (let left = priced; left.length > 0;) {
    const [first] = left
    if (first === undefined) break
    for (let some = left; ;) {
      const dearest = some.reduce((most, one) => (one.micros > most.micros ? one : most))
      const isLast = dearest.micros === first.micros
      const { quote, target } = first.way.plan
      const [, ...rest] = some
      offers.push({
        // The first one's own where it is as dear: its price then stands alone.
        covers: isLast ? quote : dearest.way.plan.quote,
        quote,
        bound,
        target,
        mayClamp: isLast,
        ways: [first.way, ...rest.map(({ way }) => way)],
      })
      if (isLast) break
      some = some.filter(({ micros }) => micros < dearest.micros)
    }
    left = left.filter(({ micros }) => micros < first.micros)
  }
  const [offer, ...others] = offers
  if (offer === undefined) throw new Error('a call with a target has something to hold')
  return [offer, ...others]
}

/**
 * Those that the hold suffices for, the first one among them. A shortened answer may leave another target the dearer
 * one, by its price of the input.
 */
export function coveredWays(
  ways: readonly [Way, ...Way[]],
  { bound, isClamped, worstCredits, worstMicros }: Reservation,
): readonly [Way, ...Way[]] {
  if (!isClamped) return ways
  const [first, ...others] = ways
  const isCovered = ({ plan }: Way): boolean => {
    const { credits, micros } = demandAt(worstCase(plan.quote, bound), bound.outputTokens)
    return micros <= worstMicros && credits <= worstCredits
  }
  return [first, ...others.filter(isCovered)]
}

/** What suffices for both. */
function larger(one: CallBound, other: CallBound): CallBound {
  return {
    ...one,
    textTokens: Math.max(one.textTokens, other.textTokens),
    outputTokens: Math.max(one.outputTokens, other.outputTokens),
    canReport: {
      cacheWrite: one.canReport.cacheWrite || other.canReport.cacheWrite,
      cacheWriteLong: one.canReport.cacheWriteLong || other.canReport.cacheWriteLong,
      audioOutput: one.canReport.audioOutput || other.canReport.audioOutput,
      imageOutput: one.canReport.imageOutput || other.canReport.imageOutput,
    },
  }
}
