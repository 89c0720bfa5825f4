import {
  allDimensions,
  countedUses,
  type Dimension,
  dimensionsOn,
  factsOf,
  type TokenDimension,
  type UseCount,
} from './price.ts'

export type UsageCount = TokenDimension | UseCount

export const usageCounts: readonly UsageCount[] = [
  ...dimensionsOn('text', 'media', 'output'),
  ...countedUses.map(({ count }) => count),
]

export const countedDimensions: readonly { readonly dimension: Dimension; readonly count: UsageCount }[] =
  allDimensions.flatMap((dimension) => {
    const count = countOf(dimension)
    return count === null ? [] : [{ dimension, count }]
  })

/** Null for the dimension `request`, which has no count. */
export function countOf(dimension: Dimension): UsageCount | null {
  const { count } = factsOf(dimension)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table
  return (count === undefined ? dimension : count) as UsageCount | null
}

/**
 * The usage of one request, in the same form for every wire (docs/reference/conversions.md "Usage in a common form").
 *
 * The input counts are **disjoint** and add up to the whole input, except for the overlaps that `isMediaWithin` and
 * `cacheOverlap` describe. `input` counts uncached text. The output counts overlap: `output` is the total, which
 * includes `reasoning`, `audioOutput` and `imageOutput`.
 */
export interface Usage extends Readonly<Record<UsageCount, number>> {
  /** The provider's own name of the tier, for `Price.serviceTiers`. Null if the provider reports no tier. */
  readonly serviceTier: string | null
  /**
   * Whether the provider reports cached tokens and media tokens, but not how many media tokens were cached. If true,
   * the counts of text (`input`, `cacheRead`, `cacheWrite` and `cacheWriteLong`) also include the tokens in
   * `audioInput` and `imageInput`. The request is then charged for the most expensive split of the tokens into cached
   * and uncached media (cost.ts).
   */
  readonly isMediaWithin?: true
  /**
   * Number of tokens that the provider (OpenRouter) charges both as cache reads and as cache writes. Absent if the
   * number is 0.
   */
  readonly cacheOverlap?: number
  /**
   * Whether the provider's counts contradict each other and can be interpreted in several ways. The usage then has the
   * counts of the most expensive interpretation.
   */
  readonly isAmbiguous?: true
  /**
   * The side whose counts the provider did not report. The gateway's own count replaces the missing counts. This field
   * is never stored.
   */
  readonly lacks?: 'input' | 'output'
  /**
   * Number of output tokens above the maximum that was sent to the provider, by the gateway's count. Output tokens
   * above the maximum are not part of `output`. The provider charges the account for output above the maximum, but the
   * end user is not charged. Absent if the maximum was not exceeded.
   */
  readonly outputBeyond?: number
  /**
   * The cost of the request as the provider reports it, in thousandths of a micro. The reported cost is never charged,
   * because charges are based on the configured prices.
   */
  readonly statedCostNanos?: number
}

export const zeroUsage: Usage = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteLong: 0,
  audioInput: 0,
  cacheReadAudio: 0,
  imageInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
  imageOutput: 0,
  webSearches: 0,
  codeSessions: 0,
  fileSearches: 0,
  cacheTokenHours: 0,
  searchUnits: 0,
  images: 0,
  characters: 0,
  audioSeconds: 0,
  serviceTier: null,
}

/** A hundred times the longest context of any model. */
export const unitsMax = 100_000_000

/**
 * The whole input selects the price tier. `totalInput`, `plainOutput` and `accountUsage` list every count explicitly.
 * The functions run several times per request, and a loop over the names took three times as long.
 */
export function totalInput(usage: Usage): number {
  const text = usage.input + usage.cacheRead + usage.cacheWrite + usage.cacheWriteLong
  const whole =
    usage.isMediaWithin === true ? text : text + usage.audioInput + usage.cacheReadAudio + usage.imageInput
  return usage.cacheOverlap === undefined ? whole : whole - usage.cacheOverlap
}

/**
 * Returns the output tokens that are neither reasoning, audio nor images. Negative only if the usage is implausible.
 */
export function plainOutput(usage: Usage): number {
  return usage.output - usage.reasoning - usage.audioOutput - usage.imageOutput
}

export function accountUsage(usage: Usage): Usage {
  const { outputBeyond, ...charged } = usage
  return outputBeyond === undefined ? usage : { ...charged, output: usage.output + outputBeyond }
}

export function withoutOutput(usage: Usage): Usage {
  const input: { -readonly [field in keyof Usage]: Usage[field] } = { ...usage }
  for (const dimension of dimensionsOn('output')) input[dimension] = 0
  for (const { count } of countedUses) input[count] = 0
  delete input.outputBeyond
  return input
}

/**
 * Every plausible count is a whole number from 0 to unitsMax, and the kinds of output are within the output. An
 * implausible report counts as missing and is never repaired. For example, raising a negative count to 0 would turn a
 * provider's bug into a discount.
 */
export function isPlausible(usage: Usage): boolean {
  return (
    isCount(usage.input) &&
    isCount(usage.cacheRead) &&
    isCount(usage.cacheWrite) &&
    isCount(usage.cacheWriteLong) &&
    isCount(usage.audioInput) &&
    isCount(usage.cacheReadAudio) &&
    isCount(usage.imageInput) &&
    isCount(usage.output) &&
    isCount(usage.reasoning) &&
    isCount(usage.audioOutput) &&
    isCount(usage.imageOutput) &&
    isCount(usage.webSearches) &&
    isCount(usage.codeSessions) &&
    isCount(usage.fileSearches) &&
    isCount(usage.cacheTokenHours) &&
    isCount(usage.searchUnits) &&
    isCount(usage.images) &&
    isCount(usage.characters) &&
    isCount(usage.audioSeconds) &&
    (usage.cacheOverlap === undefined || isOverlap(usage.cacheOverlap, usage)) &&
    (usage.outputBeyond === undefined || isCount(usage.output + usage.outputBeyond)) &&
    plainOutput(usage) >= 0
  )
}

function isOverlap(units: number, { cacheRead, cacheWrite, cacheWriteLong }: Usage): boolean {
  return isCount(units) && units <= Math.min(cacheRead, cacheWrite + cacheWriteLong)
}

function isCount(units: number): boolean {
  return Number.isSafeInteger(units) && units >= 0 && units <= unitsMax
}
