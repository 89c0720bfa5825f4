/** What to do with a stream, given what has been counted of it so far. */
import { assertMoney } from './amount.ts'
import { ceilingOf } from './charge.ts'
import { costOf } from './cost.ts'
import type { Hold } from './hold.ts'
import { basisPrice } from './worst-case.ts'
import type { Usage } from './usage.ts'

export type MeterVerdict = 'continue' | 'extend' | 'abort'

/** The contract's threshold: a stream is cut at 98 % of its ceiling. */
const thresholdPercent = 98n

export interface MeterInput {
  readonly hold: Hold
  /** Input and output counted so far. Biased high, since the exact count comes with the last frame only. */
  readonly counted: Usage
  /**
   * The output that came for certain: evidence that a provider passed its maximum. A counter that reads high
   * would accuse an answer that kept to its maximum.
   */
  readonly outputSure: number
  /** The output maximum that the provider was given, over all choices; null when it has none. */
  readonly upstreamOutputMax: number | null
  /** False once an extension was refused: then 'extend' is not an answer any more. */
  readonly isExtendable: boolean
}

/**
 * At 98 % of the ceiling the meter first asks for more, then cuts the stream; `complete_message` asks and is
 * never cut.
 *
 * A hold that covers less than the provider's maximum grows up to it. A hold that covers the maximum does not
 * grow, and while the provider keeps to the maximum the threshold does not apply: a clamped answer spends its
 * hold to the last token by design, and the contract ends it with the ordinary `finish_reason: length`, not
 * as an abort.
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

/** How many output tokens a hold may still be extended by: up to the maximum that the client or a clamp set. */
export function leftToExtend({ bound }: Hold, upstreamOutputMax: number | null): number {
  return upstreamOutputMax === null ? Infinity : Math.max(0, upstreamOutputMax - bound.outputTokens)
}

/** Counted high, but not past a maximum without evidence. */
export function likelyOutput({
  output,
  outputSure,
  upstreamOutputMax,
}: Pick<MeterInput, 'outputSure' | 'upstreamOutputMax'> & { readonly output: number }): number {
  if (upstreamOutputMax === null) return output
  return Math.min(output, Math.max(upstreamOutputMax, outputSure))
}

/**
 * What came beyond the maximum, counted high. It is 0 without evidence that the provider passed its maximum: a counter
 * that reads high alone would book costs that no provider charges.
 */
export function outputBeyond(counts: Parameters<typeof likelyOutput>[0]): number {
  const { output, outputSure, upstreamOutputMax } = counts
  if (upstreamOutputMax === null || outputSure <= upstreamOutputMax) return 0
  return output - likelyOutput(counts)
}

/** Credits bind only where a credit pool pays. */
function areCreditsNear(hold: Hold, counted: Usage, ceiling: bigint): boolean {
  const { credits } = hold.quote
  if (credits === null || !hold.legs.some(({ unit }) => unit === 'credits')) return false
  return isNear(costOf(counted, credits).amount, ceiling)
}

function isNear(spent: bigint, ceiling: bigint): boolean {
  // A free call is never near its ceiling: 0 of 0 does not cut an answer.
  return spent > 0n && spent * 100n >= ceiling * thresholdPercent
}
