import { dimensionsOn, type TokenDimension } from './price.ts'

/** What is counted of a call: tokens by dimension, and web searches. */
export type UsageCount = TokenDimension | 'webSearches'

/** In the order of the dimensions. */
export const usageCounts: readonly UsageCount[] = [...dimensionsOn('text', 'media', 'output'), 'webSearches']

/**
 * What one call used, in one normal form for every wire (docs/reference/conversions.md "Usage in one form").
 *
 * The input counts are **disjoint** and add up to the whole input, but where `isMediaWithin` says that
 * they overlap: `input` is uncached text. The output counts are not: `output` is everything that came out, and
 * `reasoning`, `audioOutput` and `imageOutput` say how much of it was of that kind.
 */
export interface Usage extends Readonly<Record<UsageCount, number>> {
  /** As the provider reports it, for `Price.serviceTiers`; null when it reports none. */
  readonly serviceTier: string | null
  /**
   * The provider counts cached tokens and audio or images, and does not say how many are both: then
   * `audioInput` and `imageInput` are counted within the four other input counts as well, and the call is
   * charged as if they were split the dearest way there is (cost.ts).
   */
  readonly isMediaWithin?: true
  /** What the provider says the call has cost its account, in thousandths of a micro. Charged is our own rating. */
  readonly statedCostNanos?: number
}

export const zeroUsage: Usage = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteLong: 0,
  audioInput: 0,
  imageInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
  imageOutput: 0,
  webSearches: 0,
  serviceTier: null,
}

/** The largest count that is believed: a hundred times the longest context on sale. */
export const unitsMax = 100_000_000

/**
 * Everything that went in, cached or not: what the tiers of a price are chosen by. This and the two below name
 * every count: they are asked several times for each call, and a loop over names took three times as long.
 */
export function totalInput(usage: Usage): number {
  const text = usage.input + usage.cacheRead + usage.cacheWrite + usage.cacheWriteLong
  return usage.isMediaWithin === true ? text : text + usage.audioInput + usage.imageInput
}

/** Output that is none of the kinds with a count of their own. Negative only if implausible. */
export function plainOutput(usage: Usage): number {
  return usage.output - usage.reasoning - usage.audioOutput - usage.imageOutput
}

/** What went in alone. */
export function withoutOutput(usage: Usage): Usage {
  const input: { -readonly [field in keyof Usage]: Usage[field] } = { ...usage, webSearches: 0 }
  for (const dimension of dimensionsOn('output')) input[dimension] = 0
  return input
}

/**
 * Whether a report can be true: whole counts from 0 to unitsMax, and no more output of the kinds
 * than there was output. A report that is not plausible is treated as missing, never repaired:
 * a negative count that is clamped to 0 would be a discount that a provider's bug hands out.
 */
export function isPlausible(usage: Usage): boolean {
  return (
    isCount(usage.input) &&
    isCount(usage.cacheRead) &&
    isCount(usage.cacheWrite) &&
    isCount(usage.cacheWriteLong) &&
    isCount(usage.audioInput) &&
    isCount(usage.imageInput) &&
    isCount(usage.output) &&
    isCount(usage.reasoning) &&
    isCount(usage.audioOutput) &&
    isCount(usage.imageOutput) &&
    isCount(usage.webSearches) &&
    plainOutput(usage) >= 0
  )
}

function isCount(units: number): boolean {
  return Number.isSafeInteger(units) && units >= 0 && units <= unitsMax
}
