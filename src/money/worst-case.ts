/** Computes the worst case of a request in money and in credits, as a function of its output. */
import { assertMoney, microsMax } from './amount.ts'
import { rateOf, toolTokensOf, worstAt, worstTerms, type WorstTerms } from './cost.ts'
import type { CallBound, Quote, ToolBound } from './decision-types.ts'
import { dearestRates, type Price } from './price.ts'
import { zeroUsage, type Usage } from './usage-counts.ts'

/** The price of the same usage in micros and in credits. `credits` is 0n if the quote has no credit price. */
export interface Demand {
  readonly micros: bigint
  readonly credits: bigint
}

export interface WorstCase {
  readonly micros: WorstTerms
  readonly credits: WorstTerms | null
}

/** Returns the price from which holds, charges, caps and limits are computed. */
export function basisPrice(quote: Quote): Price {
  return quote.basis === 'sell_price' ? quote.sell : quote.cost
}

/** Returns whether a token of sound is more expensive than a token of an image, in a request with this much input. */
export function isSoundDearer(quote: Quote, inputTokens: number): boolean {
  const rates = dearestRates(basisPrice(quote), inputTokens)
  return rateOf('audioInput', rates) > rateOf('imageInput', rates)
}

export function worstCase(quote: Quote, bound: CallBound): WorstCase {
  return {
    micros: worstTerms(bound, basisPrice(quote)),
    credits: quote.credits === null ? null : worstTerms(bound, quote.credits),
  }
}

/**
 * Returns the worst case with this much output over all choices. The worst case never decreases as the output grows, in
 * money or in credits.
 */
export function demandAt(worst: WorstCase, outputTokens: number): Demand {
  return {
    micros: worstAt(worst.micros, outputTokens),
    credits: worst.credits === null ? 0n : worstAt(worst.credits, outputTokens),
  }
}

/**
 * Returns the usage with all tokens, searches and sessions that a hold covers, for a call whose true usage can never be
 * known.
 */
export function worstUsage(bound: CallBound): Usage {
  const { audioTokens, imageTokens, outputTokens, serviceTier, textTokens, tools, uses } = bound
  return {
    ...zeroUsage,
    input: textTokens + toolTokensOf(bound),
    audioInput: audioTokens,
    imageInput: imageTokens,
    output: outputTokens,
    webSearches: tools === undefined ? 0 : tools.uses * tools.searchesPerUse,
    codeSessions: uses?.codeSessions ?? 0,
    fileSearches: uses?.fileSearches ?? 0,
    serviceTier,
  }
}

/**
 * Returns the bound with only `most` uses of the tools that the provider runs, and with at most `most` file searches.
 */
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

/**
 * Returns whether an amount can be held. Amounts above `microsMax` are never held, because every sum must fit into the
 * store's 64-bit integers.
 */
export function isHoldable({ micros, credits }: Demand): boolean {
  return micros <= microsMax && credits <= microsMax
}

/**
 * Returns the largest count from 1 to `countMax` that fits, together with the result of `tryFit`. Null if 1 does not
 * fit.
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
