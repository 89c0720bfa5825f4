import { assertMoney, microsMax } from './amount.ts'
import { rateOf, toolTokensOf, worstAt, worstTerms, type WorstTerms } from './cost.ts'
import type { CallBound, Quote, ToolBound } from './decision-types.ts'
import { highestRates, type Price } from './price.ts'
import { zeroUsage, type Usage } from './usage-counts.ts'

/** `credits` is 0n if the quote has no credit price. */
export interface Demand {
  readonly micros: bigint
  readonly credits: bigint
}

export interface WorstCase {
  readonly micros: WorstTerms
  readonly credits: WorstTerms | null
}

/** Holds, charges, caps and limits use this price. */
export function basisPrice(quote: Quote): Price {
  return quote.basis === 'sell_price' ? quote.sell : quote.cost
}

export function isSoundDearer(quote: Quote, inputTokens: number): boolean {
  const rates = highestRates(basisPrice(quote), inputTokens)
  return rateOf('audioInput', rates) > rateOf('imageInput', rates)
}

export function worstCase(quote: Quote, bound: CallBound): WorstCase {
  return {
    micros: worstTerms(bound, basisPrice(quote)),
    credits: quote.credits === null ? null : worstTerms(bound, quote.credits),
  }
}

/** The worst case never decreases as the output over all choices grows, in money or in credits. */
export function demandAt(worst: WorstCase, outputTokens: number): Demand {
  return {
    micros: worstAt(worst.micros, outputTokens),
    credits: worst.credits === null ? 0n : worstAt(worst.credits, outputTokens),
  }
}

/** This usage applies to a call whose true usage can never be known. */
export function worstUsage(bound: CallBound): Usage {
  const { audioTokens, imageTokens, outputTokens, serviceTier, textTokens, tools, uses = {} } = bound
  const { audioOutput = 0, codeSessions = 0, fileSearches = 0, imageOutput = 0, output = 0 } = uses
  return {
    ...zeroUsage,
    input: textTokens + toolTokensOf(bound),
    audioInput: audioTokens,
    imageInput: imageTokens,
    output: outputTokens + output + audioOutput + imageOutput,
    audioOutput,
    imageOutput,
    webSearches: tools === undefined ? 0 : tools.uses * tools.searchesPerUse,
    codeSessions,
    fileSearches,
    serviceTier,
  }
}

export function withToolUses(bound: CallBound, tools: ToolBound, most: number): CallBound {
  const { uses } = bound
  return {
    ...bound,
    tools: { ...tools, uses: most, usesMax: most },
    ...(uses?.fileSearches !== undefined && {
      uses: { ...uses, fileSearches: Math.min(uses.fileSearches, most) },
    }),
  }
}

/** Amounts above `microsMax` are never held, because every sum must fit into the store's 64-bit integers. */
export function isHoldable({ micros, credits }: Demand): boolean {
  return micros <= microsMax && credits <= microsMax
}

/**
 * Returns null if even a count of 1 does not fit.
 * @param tryFit must be monotone: if a count fits, every smaller count fits
 */
export function mostThatFits<T>(
  countMax: number,
  tryFit: (count: number) => T | null,
): { readonly count: number; readonly fit: T } | null {
  assertMoney(Number.isSafeInteger(countMax) && countMax >= 1, 'mostThatFits: there is a count to try')
  const first = tryFit(1)
  if (first === null) return null
  let best = { count: 1, fit: first }
  let tooMany = countMax + 1
  while (tooMany - best.count > 1) {
    const count = Math.floor((best.count + tooMany) / 2)
    const fit = tryFit(count)
    if (fit === null) tooMany = count
    else best = { count, fit }
  }
  assertMoney(best.count <= countMax, 'mostThatFits: no more than was asked for')
  return best
}
