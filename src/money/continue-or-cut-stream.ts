import { assertMoney } from './amount.ts'
import { ceilingOf } from './charge-ceiling.ts'
import { costOf } from './cost.ts'
import type { Hold } from './decision-types.ts'
import { basisPrice } from './worst-case.ts'
import type { Usage } from './usage-counts.ts'

export type StreamDecision = 'continue' | 'extend' | 'abort'

/** docs/reference/rules.md documents this threshold. */
const thresholdPercent = 98n

export interface MeterInput {
  readonly hold: Hold
  /**
   * The count is an estimate and usually too high, because the exact count arrives only in the last event of the
   * stream.
   */
  readonly counted: Usage
  /**
   * The number of output tokens that certainly arrived. Only this number can prove that a provider exceeded the
   * maximum, because the estimate may be too high.
   */
  readonly outputSure: number
  /** The maximum output that was sent to the provider, over all choices. Null if no maximum was sent. */
  readonly upstreamOutputMax: number | null
  /** False after an extension was rejected: 'extend' is then never returned. */
  readonly isExtendable: boolean
}

/**
 * At 98 % of the ceiling, the hold is extended if possible, and otherwise the stream is cut. Under `complete_message`,
 * the stream is never cut.
 *
 * A hold that covers less than the provider's maximum grows up to that maximum. If the hold covers the provider's
 * maximum, the threshold applies only after the provider exceeds this maximum. A clamped response therefore ends with
 * `finish_reason: length` instead of being cut.
 */
export function continueOrCut(input: MeterInput): StreamDecision {
  const { hold, outputSure, upstreamOutputMax } = input
  const isCovered = leftToExtend(hold, upstreamOutputMax) === 0
  if (isCovered && upstreamOutputMax !== null && outputSure <= upstreamOutputMax) return 'continue'
  const output = likelyOutput({ output: input.counted.output, outputSure, upstreamOutputMax })
  const counted = { ...input.counted, output }
  const ceiling = ceilingOf(hold) ?? { micros: hold.worstMicros, credits: hold.worstCredits }
  assertMoney(ceiling.micros >= hold.worstMicros, 'continueOrCut: a ceiling is not below its hold')
  const spentMicros = costOf(counted, basisPrice(hold.quote)).amount
  if (!isNear(spentMicros, ceiling.micros) && !areCreditsNear(hold, counted, ceiling.credits)) {
    return 'continue'
  }
  if (input.isExtendable && !isCovered) return 'extend'
  return hold.quote.policy === 'complete_message' ? 'continue' : 'abort'
}

export function leftToExtend({ bound }: Hold, upstreamOutputMax: number | null): number {
  return upstreamOutputMax === null ? Infinity : Math.max(0, upstreamOutputMax - bound.outputTokens)
}

/**
 * Returns the estimated output, limited to the maximum that was sent to the provider. If the provider provably exceeded
 * the maximum, the output is limited to the output that certainly arrived.
 */
export function likelyOutput({
  output,
  outputSure,
  upstreamOutputMax,
}: Pick<MeterInput, 'outputSure' | 'upstreamOutputMax'> & { readonly output: number }): number {
  if (upstreamOutputMax === null) return output
  return Math.min(output, Math.max(upstreamOutputMax, outputSure))
}

/**
 * Returns the estimated number of output tokens above the maximum that was sent to the provider. Returns 0 unless the
 * provider provably exceeded the maximum, because an estimate that is too high would record costs that no provider
 * charges.
 */
export function outputBeyond(counts: Parameters<typeof likelyOutput>[0]): number {
  const { output, outputSure, upstreamOutputMax } = counts
  if (upstreamOutputMax === null || outputSure <= upstreamOutputMax) return 0
  return output - likelyOutput(counts)
}

/** The ceiling applies only if a credit pool pays. */
function areCreditsNear(hold: Hold, counted: Usage, ceiling: bigint): boolean {
  const { credits } = hold.quote
  if (credits === null || !hold.legs.some(({ unit }) => unit === 'credits')) return false
  return isNear(costOf(counted, credits).amount, ceiling)
}

function isNear(spent: bigint, ceiling: bigint): boolean {
  // A free request never reaches its ceiling, so its stream is never cut.
  return spent > 0n && spent * 100n >= ceiling * thresholdPercent
}
