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
   * The provider counts cached tokens and audio or images, and not how many are both: `audioInput` and
   * `imageInput` are then counted within the four other input counts too, and the call is charged at the
   * dearest split (cost.ts).
   */
  readonly isMediaWithin?: true
  /** The provider's counts contradict one another and allow several readings; this is the most expensive one. */
  readonly isAmbiguous?: true
  /** The provider reports no count of it, so that the gateway's own count takes its place. Never stored. */
  readonly lacks?: 'input' | 'output'
  /**
   * Output in addition to `output`, by the gateway's count: the provider passed the maximum it was given. The
   * account is charged for it, the end user is not. Absent if nothing passed.
   */
  readonly outputBeyond?: number
  /**
   * The provider's own word on the cost of the call, in thousandths of a micro. Never charged: charges are
   * rated here.
   */
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
 * The whole input, cached or not, which selects the tier of a price. This and the two functions below name
 * every count: they run several times for each call, and a loop over names took three times as long.
 */
export function totalInput(usage: Usage): number {
  const text = usage.input + usage.cacheRead + usage.cacheWrite + usage.cacheWriteLong
  return usage.isMediaWithin === true ? text : text + usage.audioInput + usage.imageInput
}

/** Output of none of the kinds that have a count of their own. Negative only if implausible. */
export function plainOutput(usage: Usage): number {
  return usage.output - usage.reasoning - usage.audioOutput - usage.imageOutput
}

/** What the provider account is charged for. */
export function accountUsage(usage: Usage): Usage {
  const { outputBeyond, ...charged } = usage
  return outputBeyond === undefined ? usage : { ...charged, output: usage.output + outputBeyond }
}

export function withoutOutput(usage: Usage): Usage {
  const input: { -readonly [field in keyof Usage]: Usage[field] } = { ...usage, webSearches: 0 }
  for (const dimension of dimensionsOn('output')) input[dimension] = 0
  delete input.outputBeyond
  return input
}

/**
 * Whether a report can be true: whole counts from 0 to unitsMax, and the kinds of output within the output.
 * An implausible report counts as missing and is never repaired: a negative count clamped to 0 would turn a
 * provider's bug into a discount.
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
    (usage.outputBeyond === undefined || isCount(usage.output + usage.outputBeyond)) &&
    plainOutput(usage) >= 0
  )
}

function isCount(units: number): boolean {
  return Number.isSafeInteger(units) && units >= 0 && units <= unitsMax
}
