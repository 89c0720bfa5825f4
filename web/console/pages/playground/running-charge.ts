import { costOf } from '#money/cost.ts'
import { priceFromJson } from '#money/price.ts'
import { totalInput, usageCounts, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { AnswerOf } from '../../operations/use-operation.ts'

export type InFlight = Pick<AnswerOf<'requests.explain'>, 'policy' | 'quote' | 'reserve' | 'status' | 'usage'>

export interface RunningCharge {
  /** At most the hold, because no charge exceeds the hold. */
  readonly micros: bigint
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The average for ordinary text. Hidden reasoning is charged, but not included in the estimate. */
const lettersPerToken = 4

/**
 * The gateway updates its own count of the output every two seconds. A higher estimate from the received characters
 * replaces this count. It is unknown who pays, because plan credit may pay when the request ends.
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

/** Falls back to the input that the gateway expected when it created the hold. */
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
