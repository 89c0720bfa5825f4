import { dimensionsOn } from '#money/price.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { PartCount, PartCounts } from './read-and-write-usage-counts.ts'

/**
 * Token counts as the provider states them.
 *
 * `prompt`, `completion` and `total` are null if the report omits them. Every other count is a part of `prompt` or
 * `completion`, or additional to them. `usageOfReported` decides which.
 */
export type ReportedCounts = Readonly<Told>

export interface Told extends PartCounts {
  prompt: number | null
  completion: number | null
  total: number | null
  /** Whether the wire counts reasoning outside `completion` by definition. */
  isReasoningBeside?: boolean
  /**
   * Whether the wire includes cached tokens in `prompt` by definition, so that cache reads and cache writes may
   * overlap.
   */
  isCacheWithin?: boolean
  /** Whether audio and images may be cached although the report does not state how many of their tokens are cached. */
  mayOverlap?: boolean
  /**
   * Whether the report states a length of audio in seconds (Mistral). No other count includes the tokens of this audio.
   */
  hasAudio?: boolean
}

const writes = dimensionsOn('text').filter((name) => name !== 'input' && name !== 'cacheRead')
const mediaInputs = dimensionsOn('media')
const mediaOutputs = dimensionsOn('output').filter((name) => name !== 'output' && name !== 'reasoning')
const simpleParts: readonly PartCount[] = ['cacheRead', ...writes, ...mediaInputs, ...mediaOutputs]

/**
 * Decides which counts the prompt and the completion already include
 * (docs/decisions/2026-11-29-contradictory-usage-reports.md). These rules never lower a stated count:
 *
 * 1. If a part exceeds its total, the total cannot include the part, so the part is added.
 * 2. If the total exceeds the sum of prompt and completion, parts that add up to exactly the difference are added.
 * 3. If the difference is not the sum of any parts, the difference counts as audio input or as reasoning. The
 *    difference is audio input if the report states a length of audio but no tokens of media.
 * 4. A missing prompt or completion is computed from the total. If a count and the total are missing, the result lists
 *    the count in `lacks`.
 *
 * If a report has several interpretations, the most expensive interpretation is returned and marked `isAmbiguous`.
 * @param told whole numbers of at least 0
 * @returns no uses of tools and no service tier; null if the report states neither prompt nor completion
 */
export function usageOfReported(told: ReportedCounts): Usage | null {
  const wholes = wholesOf(told)
  if (wholes === null) return null
  const { prompt, completion } = wholes
  const { cacheRead = 0, isCacheWithin = false, isReasoningBeside = false } = told
  let { reasoning = 0 } = told
  const written = sumOf(told, writes)
  const overlaps = cacheRead + written > prompt && cacheRead <= prompt && written <= prompt
  // OpenRouter charges these tokens twice: at the rate of cache reads and at the rate of cache writes.
  const cacheOverlap = overlaps && isCacheWithin ? Math.min(cacheRead, written) : 0
  const cached = cacheRead + written - cacheOverlap
  const media = sumOf(told, mediaInputs)
  const mediaOutput = sumOf(told, mediaOutputs)
  const beside: Record<Part, boolean> = {
    reasoning: isReasoningBeside || reasoning > completion,
    cached: cached > prompt,
    media: media > prompt,
    mediaOutput: mediaOutput > completion,
  }
  const sizes: Readonly<Record<Part, number>> = { reasoning, cached, media, mediaOutput }
  // Several counts may together exceed their total although no single count exceeds it. The total may then include some
  // of these counts, but not all.
  let isAmbiguous =
    (overlaps && !isCacheWithin) ||
    (media > prompt && mediaInputs.every((name) => (told[name] ?? 0) <= prompt)) ||
    (mediaOutput > completion && mediaOutputs.every((name) => (told[name] ?? 0) <= completion))
  if (!beside.reasoning && !beside.mediaOutput && reasoning + mediaOutput > completion)
    beside.reasoning = isAmbiguous = true

  const unexplained = wholes.rest - besideOf(beside, sizes)
  // The report is ambiguous if the total includes more than prompt and completion, but less than all additional counts.
  if (wholes.rest > 0 && unexplained < 0) isAmbiguous = true
  let audioBeside = 0
  let reasoningBeside = 0
  if (unexplained > 0) {
    const explaining = partsOf(unexplained, beside, sizes)
    for (const part of explaining ?? []) beside[part] = true
    if (explaining === null && told.hasAudio === true && media === 0) audioBeside = unexplained
    else if (explaining === null) reasoningBeside = unexplained
  }

  const isMediaWithin =
    media > 0 &&
    cached > 0 &&
    !beside.media &&
    !beside.cached &&
    (told.mayOverlap === true || cached + media > prompt)
  const output =
    completion + (beside.reasoning ? reasoning : 0) + (beside.mediaOutput ? mediaOutput : 0) + reasoningBeside
  reasoning = beside.reasoning ? reasoning + reasoningBeside : Math.max(reasoning, reasoningBeside)
  const read: { -readonly [name in keyof Usage]: Usage[name] } = { ...zeroUsage }
  for (const name of simpleParts) read[name] = told[name] ?? 0
  read.input = prompt - (beside.cached ? 0 : cached) - (beside.media || isMediaWithin ? 0 : media)
  read.audioInput += audioBeside
  read.output = output
  read.reasoning = reasoning
  if (isMediaWithin) read.isMediaWithin = true
  if (cacheOverlap > 0 && !isMediaWithin) read.cacheOverlap = cacheOverlap
  if (isAmbiguous) read.isAmbiguous = true
  if (wholes.lacks !== null) read.lacks = wholes.lacks
  return read
}

/**
 * A group explains a difference between the total and the other counts if the group adds up to exactly this difference.
 * A total includes either all counts of a group or none of them.
 */
type Part = 'reasoning' | 'cached' | 'media' | 'mediaOutput'

/** The first group that explains a difference is used. Output is first, because it is more expensive. */
const parts: readonly Part[] = ['reasoning', 'mediaOutput', 'media', 'cached']

interface Wholes {
  readonly prompt: number
  readonly completion: number
  /** Part of the total that prompt and completion do not include. */
  readonly rest: number
  readonly lacks: 'input' | 'output' | null
}

function wholesOf(told: ReportedCounts): Wholes | null {
  const { prompt, completion, total } = told
  if (prompt !== null && completion !== null)
    return { prompt, completion, rest: Math.max(0, (total ?? 0) - prompt - completion), lacks: null }
  const known = prompt ?? completion
  if (known === null) return null
  const beside = told.isReasoningBeside === true ? (told.reasoning ?? 0) : 0
  const left = Math.max(0, (total ?? 0) - known - beside)
  const lacks = left > 0 ? null : prompt === null ? 'input' : 'output'
  return { prompt: prompt ?? left, completion: completion ?? left, rest: beside, lacks }
}

function sumOf(told: ReportedCounts, names: readonly PartCount[]): number {
  return names.reduce((sum, name) => sum + (told[name] ?? 0), 0)
}

function besideOf(beside: Readonly<Record<Part, boolean>>, sizes: Readonly<Record<Part, number>>): number {
  return parts.reduce((sum, part) => sum + (beside[part] ? sizes[part] : 0), 0)
}

/**
 * Returns groups that add up to exactly `difference`, the unexplained part of the total. Null if no groups do. Groups
 * in `beside` are not considered, because these groups already count in addition to prompt and completion.
 */
function partsOf(
  difference: number,
  beside: Readonly<Record<Part, boolean>>,
  sizes: Readonly<Record<Part, number>>,
): readonly Part[] | null {
  const candidates = parts.filter((part) => !beside[part] && sizes[part] > 0)
  for (let set = 1; set < 1 << candidates.length; set++) {
    const chosen = candidates.filter((_, at) => ((set >> at) & 1) === 1)
    if (chosen.reduce((sum, part) => sum + sizes[part], 0) === difference) return chosen
  }
  return null
}
