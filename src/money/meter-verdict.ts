/** Decides how a stream continues, given the usage counted so far. */
import { assertMoney } from './amount.ts'
import { ceilingOf } from './charge.ts'
import { costOf } from './cost.ts'
import type { Hold } from './hold.ts'
import { basisPrice } from './worst-case.ts'
import type { Usage } from './usage.ts'

export type MeterVerdict = 'continue' | 'extend' | 'abort'

/** The documented threshold: a stream is cut at 98 % of its ceiling. */
const thresholdPercent = 98n

export interface MeterInput {
  readonly hold: Hold
  /**
   * Input and output counted so far. The count is an estimate that is rather too high than too low, because the exact
   * count arrives only with the last frame.
   */
  readonly counted: Usage
  /**
   * The output that certainly arrived. It is the evidence that a provider exceeded the maximum. The estimate cannot be
   * the evidence, because the estimate may be above the maximum for a response that stayed below the maximum.
   */
  readonly outputSure: number
  /** The output maximum sent to the provider, summed over all choices. Null if no maximum was sent. */
  readonly upstreamOutputMax: number | null
  /** False after an extension was rejected. The verdict is then never 'extend'. */
  readonly isExtendable: boolean
}

/**
 * At 98 % of the ceiling, the meter first requests an extension and then cuts the stream. A `complete_message` request
 * is extended but never cut.
 *
 * A hold that covers less than the provider's maximum grows up to that maximum. A hold that covers the maximum does not
 * grow. The threshold then does not apply while the provider stays within the maximum. A clamped response is meant to
 * use its hold to the last token. Such a response ends with the ordinary `finish_reason: length`, not as an abort.
 */
export function meterVerdict(input: MeterInput): MeterVerdict {
  const { hold, outputSure, upstreamOutputMax } = input
  const isCovered = leftToExtend(hold, upstreamOutputMax) === 0
  if (isCovered && upstreamOutputMax !== null && outputSure <= upstreamOutputMax) return 'continue'
  const output = likelyOutput({ output: input.counted.output, outputSure, upstreamOutputMax })
  const counted = { ...input.counted, output }
  const ceiling = ceilingOf(hold) ?? { micros: hold.worstMicros, credits: hold.worstCredits }
  assertMoney(ceiling.micros >= hold.worstMicros, 'meterVerdict: a ceiling is not below its hold')
  const spentMicros = costOf(counted, basisPrice(hold.quote)).amount
  if (!isNear(spentMicros, ceiling.micros) && !areCreditsNear(hold, counted, ceiling.credits)) {
    return 'continue'
  }
  if (input.isExtendable && !isCovered) return 'extend'
  return hold.quote.policy === 'complete_message' ? 'continue' : 'abort'
}

/**
 * Returns how many output tokens a hold may still be extended by, up to the maximum set by the client or by a clamp.
 */
export function leftToExtend({ bound }: Hold, upstreamOutputMax: number | null): number {
  return upstreamOutputMax === null ? Infinity : Math.max(0, upstreamOutputMax - bound.outputTokens)
}

/**
 * Returns the estimated output, limited to the maximum that was sent to the provider. If there is evidence that the
 * provider exceeded the maximum, the result is at least the output that certainly arrived.
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
 * Returns the output tokens above the maximum that was sent to the provider, computed from the estimate. Returns 0 if
 * there is no evidence that the provider exceeded the maximum. The estimate is deliberately too high. Without evidence,
 * the estimate would record costs that no provider charges.
 */
export function outputBeyond(counts: Parameters<typeof likelyOutput>[0]): number {
  const { output, outputSure, upstreamOutputMax } = counts
  if (upstreamOutputMax === null || outputSure <= upstreamOutputMax) return 0
  return output - likelyOutput(counts)
}

/** The credit ceiling applies only if a credit pool pays. */
function areCreditsNear(hold: Hold, counted: Usage, ceiling: bigint): boolean {
  const { credits } = hold.quote
  if (credits === null || !hold.legs.some(({ unit }) => unit === 'credits')) return false
  return isNear(costOf(counted, credits).amount, ceiling)
}

function isNear(spent: bigint, ceiling: bigint): boolean {
  // A free request is never near its ceiling. A usage of 0 out of 0 does not cut the response.
  return spent > 0n && spent * 100n >= ceiling * thresholdPercent
}
