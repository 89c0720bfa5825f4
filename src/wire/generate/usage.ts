import { isPlausible, totalInput, type Usage } from '#money/usage-counts.ts'
import { isObject, listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { type Told, usageOfReported } from '#wire/usage-from-reported-counts.ts'
import { type PartCount, partsOn, readParts } from '#wire/read-and-write-usage-counts.ts'

const parts = partsOn('generate')
const plainParts = parts.filter(({ path }) => path.length === 1)
const cachedDetails = 'cacheTokensDetails'
const inputModalities = modalitiesOf('input')
const promptModalities = inputModalities.filter(({ list }) => list !== cachedDetails)
const cachedModalities = inputModalities.filter(({ list }) => list === cachedDetails)
const answerModalities = modalitiesOf('output')

function modalitiesOf(wanted: 'input' | 'output'): readonly ModalityPart[] {
  return parts.flatMap(({ count, path: [list, modality], side }) =>
    side === wanted && modality !== undefined ? [{ count, list, modality }] : [],
  )
}

/**
 * Converts `usageMetadata` to the normal form (docs/reference/wires.md "Usage on the generate wire",
 * docs/reference/conversions.md "Usage in a common form").
 *
 * `promptTokenCount` includes cache reads, but not the input of the provider's own tools. `candidatesTokenCount`
 * excludes thoughts. If counts contradict these rules, usage-from-reported-counts.ts interprets them. The generate wire
 * omits a count of 0, so an omitted output counts as 0 if the total confirms it.
 * @returns null if the usage is absent, has no token counts (Vertex: `trafficType` alone), or has an impossible count
 */
export function usageFromGenerate(raw: JsonValue): Usage | null {
  if (!isObject(raw)) return null
  const prompt = wholeOf(raw.promptTokenCount)
  const candidates = wholeOf(raw.candidatesTokenCount)
  const tools = countOf(raw.toolUsePromptTokenCount)
  if (prompt === undefined || candidates === undefined || tools === null) return null
  const told: Told = { prompt, completion: candidates, total: null, isReasoningBeside: true }
  if (!readParts(told, raw, plainParts, countOf)) return null
  if (isCount(raw.totalTokenCount)) told.total = raw.totalTokenCount - tools
  const isOutputZero = (told.reasoning ?? 0) > 0 || told.total !== null
  if (isOutputZero && prompt !== null) told.completion ??= 0
  // A usage report does not always state how many of the media tokens are cached.
  const { cacheRead = 0 } = told
  const isSplitTold = tokensOf(raw.cacheTokensDetails) === cacheRead
  told.mayOverlap = !isSplitTold
  if (isSplitTold) readCachedMedia(told, raw, cacheRead)
  for (const { count, list, modality } of promptModalities)
    told[count] = mediaOf(raw, list, modality, isSplitTold)
  for (const { count, list, modality } of answerModalities) told[count] = modalityOf(raw[list], modality)
  const counts = usageOfReported(told)
  if (counts === null) return null
  const usage: Usage = {
    ...counts,
    input: counts.input + tools,
    serviceTier: typeof raw.serviceTier === 'string' ? raw.serviceTier : null,
  }
  return isPlausible(usage) ? usage : null
}

/** A report that contains only `trafficType` has no counts. */
export function hasCounts(raw: JsonValue): boolean {
  return isObject(raw) && Object.keys(raw).some((name) => name.endsWith('TokenCount'))
}

/**
 * The first report of a stream may have only the prompt count although text has already arrived. Without this check,
 * the first report could become the final report, and the text would be free.
 */
export function countsOutput(raw: JsonValue): boolean {
  return isObject(raw) && (raw.candidatesTokenCount !== undefined || raw.thoughtsTokenCount !== undefined)
}

/** On the generate wire, cache writes are part of the prompt. */
export function usageToGenerate(usage: Usage): JsonObject {
  const prompt = totalInput(usage)
  const { audioInput, cacheRead, cacheReadAudio, output, reasoning } = usage
  const cached = cacheRead + cacheReadAudio
  const candidates = output - reasoning
  // The details of the prompt include cached tokens.
  const promptDetails = detailsOf(
    { ...usage, audioInput: audioInput + cacheReadAudio },
    prompt,
    promptModalities,
  )
  const answerDetails = detailsOf(usage, candidates, answerModalities)
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + output,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    // Without `cacheTokensDetails`, readers of the usage must assume that some of the media is cached.
    ...(cached > 0 &&
      promptDetails !== null &&
      usage.isMediaWithin !== true && {
        cacheTokensDetails: detailsOf(usage, cached, cachedModalities) ?? [
          { modality: 'TEXT', tokenCount: cached },
        ],
      }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    ...(promptDetails && { promptTokensDetails: promptDetails }),
    ...(answerDetails && { candidatesTokensDetails: answerDetails }),
    ...(usage.serviceTier !== null && { serviceTier: usage.serviceTier }),
  }
}

/** `cacheRead` is the number of all cached tokens, including media. */
function readCachedMedia(told: Told, raw: JsonObject, cacheRead: number): void {
  let rest = cacheRead
  for (const { count, list, modality } of cachedModalities) {
    told[count] = modalityOf(raw[list], modality)
    rest -= told[count]
  }
  told.cacheRead = rest
}

interface ModalityPart {
  readonly count: PartCount
  readonly list: string
  readonly modality: string
}

/** Tokens that have no other modality are text. Null if all tokens are text. */
function detailsOf(
  usage: Usage,
  whole: number,
  modalities: readonly ModalityPart[],
): readonly JsonObject[] | null {
  const details = modalities
    .map(({ count, modality }) => ({ modality, tokenCount: usage[count] }))
    .filter(({ tokenCount }) => tokenCount > 0)
  if (details.length === 0) return null
  const text = details.reduce((rest, { tokenCount }) => rest - tokenCount, whole)
  return text > 0 ? [{ modality: 'TEXT', tokenCount: text }, ...details] : details
}

/**
 * Returns the uncached prompt tokens of one modality. If the report does not split the cached tokens, returns all
 * prompt tokens of the modality.
 */
function mediaOf(raw: JsonObject, list: string, modality: string, isSplitTold: boolean): number {
  const cached = isSplitTold ? modalityOf(raw.cacheTokensDetails, modality) : 0
  return Math.max(0, modalityOf(raw[list], modality) - cached)
}

function tokensOf(details: JsonValue): number {
  let tokens = 0
  for (const entry of listOf(details)) {
    const { tokenCount } = objectOf(entry)
    if (isCount(tokenCount)) tokens += tokenCount
  }
  return tokens
}

function modalityOf(details: JsonValue, modality: string): number {
  let tokens = 0
  for (const entry of listOf(details)) {
    const { modality: named, tokenCount } = objectOf(entry)
    if (named === modality && isCount(tokenCount)) tokens += tokenCount
  }
  return tokens
}

function wholeOf(value: JsonValue): number | null | undefined {
  if (value === undefined || value === null) return null
  return isCount(value) ? value : undefined
}

/** Returns 0 for an omitted count, and null for a value that is not a valid count. */
function countOf(value: JsonValue): number | null {
  if (value === undefined || value === null) return 0
  return isCount(value) ? value : null
}

function isCount(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
