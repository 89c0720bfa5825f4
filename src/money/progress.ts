/** What to do with a stream, given what has been counted of it so far. */
import { assertMoney } from './amount.ts'
import { ceilingOf } from './ceiling.ts'
import { costOf } from './cost.ts'
import type { Hold } from './hold.ts'
import { basisPrice } from './worst-case.ts'
import type { Usage } from './usage.ts'

export type Progress = 'continue' | 'extend' | 'abort'

/** The contract's threshold: a stream is cut at 98 % of its ceiling. */
const THRESHOLD_PERCENT = 98n

export interface ProgressInput {
  readonly hold: Hold
  /**
   * Input and output counted so far. Biased high, since the truth comes with the last frame only; but
   * beside an `upstreamOutputMax` the output must be what is sure to have come, or a counter that
   * reads high would find the maximum passed by an answer that kept to it.
   */
  readonly counted: Usage
  /** The output maximum that the provider was given, over all choices; null when it has none. */
  readonly upstreamOutputMax: number | null
  /** False once an extension was refused: then 'extend' is not an answer any more. */
  readonly isExtendable: boolean
}

/**
 * At 98 % of the ceiling first more is asked for, then the stream is cut; `complete_message` asks and
 * is never cut.
 *
 * While the provider keeps to a maximum that it was given, the hold covers its answer whole, so the
 * threshold does not apply: a clamped answer spends its hold to the last token by design, and the
 * contract has it end with the ordinary `finish_reason: length`, not as an abort.
 */
export function progress({ hold, counted, upstreamOutputMax, isExtendable }: ProgressInput): Progress {
  if (upstreamOutputMax !== null && counted.output <= upstreamOutputMax) return 'continue'
  const ceiling = ceilingOf(hold) ?? { micros: hold.worstMicros, credits: hold.worstCredits }
  assertMoney(ceiling.micros >= hold.worstMicros, 'progress: a ceiling is not below its hold')
  const spentMicros = costOf(counted, basisPrice(hold.quote)).amount
  if (!isNear(spentMicros, ceiling.micros) && !areCreditsNear(hold, counted, ceiling.credits)) {
    return 'continue'
  }
  if (isExtendable) return 'extend'
  return hold.quote.policy === 'complete_message' ? 'continue' : 'abort'
}

/** Credits bind only where a credit pool pays. */
function areCreditsNear(hold: Hold, counted: Usage, ceiling: bigint): boolean {
  const { credits } = hold.quote
  if (credits === null || !hold.legs.some(({ unit }) => unit === 'credits')) return false
  return isNear(costOf(counted, credits).amount, ceiling)
}

function isNear(spent: bigint, ceiling: bigint): boolean {
  // What is free is never near: 0 of 0 is no reason to cut an answer.
  return spent > 0n && spent * 100n >= ceiling * THRESHOLD_PERCENT
}
