import type { Reservation, TargetOffer } from '#domain/ledger-interface.ts'
import type { CallBound, ToolBound } from '#money/decision-types.ts'
import { countedUses, fixedOutputs, type Uses } from '#money/price.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import type { Way } from '#gateway/call/routed-target-types.ts'

export interface PossibleHold extends TargetOffer {
  /** In the order in which the targets are called, starting with `target`. */
  readonly ways: readonly [Way, ...Way[]]
}

/**
 * Returns the possible holds in the order in which the ledger tries them.
 *
 * The first hold covers all targets at the price of the most expensive one. Each further hold leaves out the most
 * expensive target of the hold before it. The last hold has the price of the first target, and covers the targets that
 * cost no more. Only the last hold may reduce the maximum output. Then the same sequence is repeated with the targets
 * that cost less than the first target. An expensive target that is rarely called therefore neither causes a rejection
 * nor shortens the output.
 * @param boundOf returns the maximum usage of the call at a target
 */
export function possibleHolds(
  ways: readonly [Way, ...Way[]],
  boundOf: (way: Way) => CallBound,
): readonly [PossibleHold, ...PossibleHold[]] {
  if (ways.length === 1) {
    const { quote, target } = ways[0].plan
    return [{ covers: quote, quote, bound: boundOf(ways[0]), target, mayClamp: true, ways }]
  }
  const bound = ways.slice(1).reduce((most, way) => larger(most, boundOf(way)), boundOf(ways[0]))
  const priced = ways.map((way) => ({
    way,
    micros: demandAt(worstCase(way.plan.quote, bound), bound.outputTokens).micros,
  }))
  const offers: PossibleHold[] = []
  for (let left = priced; left.length > 0;) {
    const [first] = left
    if (first === undefined) break
    for (let some = left; ;) {
      const dearest = some.reduce((most, one) => (one.micros > most.micros ? one : most))
      const isLast = dearest.micros === first.micros
      const { quote, target } = first.way.plan
      const [, ...rest] = some
      offers.push({
        // If no other target is more expensive, use the quote of the first target, so that only one price applies.
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

/** After a reduction to a shorter output, a target with a higher input price may cost more than the hold. */
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

function larger(one: CallBound, other: CallBound): CallBound {
  const tools = largerTools(one.tools, other.tools)
  const uses = largerUses(one.uses, other.uses)
  return {
    ...one,
    ...(uses !== undefined && { uses }),
    ...(tools !== undefined && { tools }),
    textTokens: Math.max(one.textTokens, other.textTokens),
    audioTokens: Math.max(one.audioTokens, other.audioTokens),
    imageTokens: Math.max(one.imageTokens, other.imageTokens),
    outputTokens: Math.max(one.outputTokens, other.outputTokens),
    canReport: {
      cacheWrite: one.canReport.cacheWrite || other.canReport.cacheWrite,
      cacheWriteLong: one.canReport.cacheWriteLong || other.canReport.cacheWriteLong,
      audioOutput: one.canReport.audioOutput || other.canReport.audioOutput,
      imageOutput: one.canReport.imageOutput || other.canReport.imageOutput,
    },
  }
}

function largerUses(one: Uses | undefined, other: Uses | undefined): Uses | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const counts = [...countedUses.map(({ count }) => count), ...fixedOutputs]
  return Object.fromEntries(counts.map((count) => [count, Math.max(one[count] ?? 0, other[count] ?? 0)]))
}

function largerTools(one: ToolBound | undefined, other: ToolBound | undefined): ToolBound | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    uses: Math.max(one.uses, other.uses),
    usesMax: Math.max(one.usesMax, other.usesMax),
    tokensPerUse: Math.max(one.tokensPerUse, other.tokensPerUse),
    searchesPerUse: Math.max(one.searchesPerUse, other.searchesPerUse),
  }
}
