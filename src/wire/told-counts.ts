import type { Usage } from '#money/usage.ts'

/**
 * The token counts of a usage report, as the provider states them.
 *
 * Null means that the report omits the count. Counts that default to 0 are parts of `prompt` or `completion`, or are
 * additional to them. The report does not say which, and `usageOfTold` decides.
 */
export interface ToldCounts {
  readonly prompt: number | null
  readonly completion: number | null
  readonly total: number | null
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly cacheWriteLong?: number
  readonly audioInput?: number
  readonly imageInput?: number
  readonly reasoning?: number
  readonly audioOutput?: number
  readonly imageOutput?: number
  /** Whether the wire counts reasoning outside `completion` by definition. */
  readonly isReasoningBeside?: boolean
  /** Whether audio and images may be cached as well, and the report does not say how many are. */
  readonly mayOverlap?: boolean
  /** Whether the report states a length of audio, so that tokens of no other part are audio (Mistral). */
  readonly hasAudio?: boolean
}

/** All counts of a usage except web searches, and how they were read. */
type ReadCounts = Pick<
  Usage,
  | 'input'
  | 'cacheRead'
  | 'cacheWrite'
  | 'cacheWriteLong'
  | 'audioInput'
  | 'imageInput'
  | 'output'
  | 'reasoning'
  | 'audioOutput'
  | 'imageOutput'
  | 'isMediaWithin'
  | 'isAmbiguous'
  | 'lacks'
>

/**
 * Decides which stated counts are parts of the prompt and the completion and which are not included in them
 * (docs/decisions/2026-11-23-usage-beside-totals.md). No stated count is ever lowered:
 *
 * 1. A part that exceeds its whole cannot be included in it, so it is added.
 * 2. If the total exceeds prompt and completion, the parts that explain the difference exactly are added.
 * 3. A difference that no part explains is audio input if the report states a length of audio but no tokens of
 *    media, and otherwise reasoning.
 * 4. A missing prompt or completion is what the total leaves; without a total the result says that it `lacks` it.
 *
 * If a report allows several readings, the most expensive one is returned and marked `isAmbiguous`.
 * @param told whole numbers from 0
 * @returns null if the report states neither prompt nor completion
 */
export function usageOfTold(told: ToldCounts): ReadCounts | null {
  const wholes = wholesOf(told)
  if (wholes === null) return null
  const { prompt, completion } = wholes
  const { cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, imageInput = 0 } = told
  const { audioOutput = 0, imageOutput = 0, isReasoningBeside = false } = told
  let { audioInput = 0, reasoning = 0 } = told
  const cached = cacheRead + cacheWrite + cacheWriteLong
  const media = audioInput + imageInput
  const mediaOutput = audioOutput + imageOutput
  const beside: Record<Part, boolean> = {
    reasoning: isReasoningBeside || reasoning > completion,
    cached: cached > prompt,
    media: media > prompt,
    mediaOutput: mediaOutput > completion,
  }
  const sizes: Readonly<Record<Part, number>> = { reasoning, cached, media, mediaOutput }
  let isAmbiguous =
    isOnlyTogetherAbove(prompt, cacheRead, cacheWrite + cacheWriteLong) ||
    isOnlyTogetherAbove(prompt, audioInput, imageInput) ||
    isOnlyTogetherAbove(completion, audioOutput, imageOutput)
  if (!beside.reasoning && !beside.mediaOutput && reasoning + mediaOutput > completion)
    beside.reasoning = isAmbiguous = true

  const unexplained = wholes.rest - besideOf(beside, sizes)
  // The total leaves some room for additional counts, but not enough.
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
  audioInput += audioBeside
  return {
    input: prompt - (beside.cached ? 0 : cached) - (beside.media || isMediaWithin ? 0 : media),
    cacheRead,
    cacheWrite,
    cacheWriteLong,
    audioInput,
    imageInput,
    output,
    reasoning,
    audioOutput,
    imageOutput,
    ...(isMediaWithin && { isMediaWithin }),
    ...(isAmbiguous && { isAmbiguous }),
    ...(wholes.lacks !== null && { lacks: wholes.lacks }),
  }
}

/** Groups of counts that are included in a whole together, or not at all. */
type Part = 'reasoning' | 'cached' | 'media' | 'mediaOutput'

/** Output is first, so that if two parts explain a difference, the more expensive one is used. */
const parts: readonly Part[] = ['reasoning', 'mediaOutput', 'media', 'cached']

interface Wholes {
  readonly prompt: number
  readonly completion: number
  /** Returns the part of the total that prompt and completion do not include. */
  readonly rest: number
  readonly lacks: 'input' | 'output' | null
}

function wholesOf({ prompt, completion, total, ...told }: ToldCounts): Wholes | null {
  if (prompt !== null && completion !== null)
    return { prompt, completion, rest: Math.max(0, (total ?? 0) - prompt - completion), lacks: null }
  const known = prompt ?? completion
  if (known === null) return null
  const beside = told.isReasoningBeside === true ? (told.reasoning ?? 0) : 0
  const left = Math.max(0, (total ?? 0) - known - beside)
  const lacks = left > 0 ? null : prompt === null ? 'input' : 'output'
  return { prompt: prompt ?? left, completion: completion ?? left, rest: beside, lacks }
}

/** Whether two counts exceed their whole together but neither does alone, so that one of them may be included in it. */
function isOnlyTogetherAbove(whole: number, one: number, other: number): boolean {
  return one + other > whole && one <= whole && other <= whole
}

function besideOf(beside: Readonly<Record<Part, boolean>>, sizes: Readonly<Record<Part, number>>): number {
  return parts.reduce((sum, part) => sum + (beside[part] ? sizes[part] : 0), 0)
}

/** Returns the parts, not already additional, whose sum is exactly the difference. Null if there are no such parts. */
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
