/** What a call in flight will be charged for what has come of it, as far as that can be told before its end. */
import { costOf } from '#money/cost.ts'
import { priceFromJson } from '#money/price.ts'
import { usageCounts, zeroUsage, type Usage } from '#money/usage.ts'
import type { AnswerOf } from '../../calls.ts'

/** What `requests.explain` says of a call in flight. */
export type InFlight = Pick<AnswerOf<'requests.explain'>, 'policy' | 'quote' | 'reserve' | 'status' | 'usage'>

export interface RunningCharge {
  /** Never more than is held: no call is charged more. */
  readonly micros: bigint
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Of text of the usual kind. Reasoning that is not shown is not in it, and is charged. */
const lettersPerToken = 4

/**
 * The price by which the call is charged, for the input that the gateway expects and the output that has come: by the
 * gateway's own count, which it writes down every two seconds, or by the letters that are here where they say more.
 * Credits of a plan may pay for it in the end.
 * @returns null: the call has ended, or its price or its input is not known
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
    inputTokens: input.input + input.cacheRead + input.cacheWrite + input.cacheWriteLong,
    outputTokens: output,
  }
}

/** As counted so far, or as the gateway expected it when it made the hold. */
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
