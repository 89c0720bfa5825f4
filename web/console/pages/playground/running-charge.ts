/** Estimates the charge of a request in flight from its output so far. */
import { costOf } from '#money/cost.ts'
import { priceFromJson } from '#money/price.ts'
import { totalInput, usageCounts, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { AnswerOf } from '../../operations/use-operation.ts'

/** The explanation of a request in flight, from `requests.explain`. */
export type InFlight = Pick<AnswerOf<'requests.explain'>, 'policy' | 'quote' | 'reserve' | 'status' | 'usage'>

export interface RunningCharge {
  /** The estimate is never more than the hold, because no charge exceeds the hold. */
  readonly micros: bigint
  readonly inputTokens: number
  readonly outputTokens: number
}

/**
 * The average number of characters per token in ordinary text. Hidden reasoning is charged, but not included in the
 * estimate.
 */
const lettersPerToken = 4

/**
 * Applies the request's price to the expected input and the output so far. The gateway updates its own count of the
 * output every two seconds. If an estimate from the received characters is higher, the estimate is used. The result
 * does not show who pays, because plan credit may pay for the request when the request ends.
 * @returns null if the request has ended, or if its price or input is unknown
 */
export function runningCharge(told: InFlight, letters: number): RunningCharge | null {
  if (told.status !== 'in_flight') return null
  const { policy, quote, reserve } = told
  const price = priceFromJson(policy?.debitBasis === 'sell_price' ? quote?.sell : quote?.cost)
  const input = inputOf(told)
  if (price === null || input === null) return null
  const output = Math.max(input.output, Math.ceil(letters / lettersPerToken))
  const { amount } = costOf({ ...input, output }, price)
  const held = reserve?.worstMicros ?? null
  return {
    micros: held !== null && amount > BigInt(held) ? BigInt(held) : amount,
    inputTokens: totalInput(input),
    outputTokens: output,
  }
}

/** Returns the usage counted so far, or else the input that the gateway expected when it created the hold. */
function inputOf({ reserve, usage }: InFlight): Usage | null {
  if (usage !== null) {
    const counts = Object.fromEntries(usageCounts.map((name) => [name, numberOf(usage[name]) ?? 0]))
    return { ...zeroUsage, ...counts, serviceTier: usage.serviceTier ?? null }
  }
  const expected = numberOf(reserve?.inputTokensEstimated)
  return expected === null ? null : { ...zeroUsage, input: expected }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
