import { isPlausible, totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import { isObject, listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { usageOfTold } from '#wire/told-counts.ts'

/**
 * Converts `usageMetadata` to the normal form (docs/reference/wires.md "Usage of generate",
 * docs/reference/conversions.md "Usage in one form").
 *
 * `promptTokenCount` includes cache reads, but not the input of the provider's own tools. `candidatesTokenCount`
 * excludes thoughts. The file told-counts.ts interprets counts that contradict this. This wire omits a count of 0, so
 * an omitted output is 0 if the total confirms it.
 * @returns null if the usage is absent, has no token counts (Vertex: `trafficType` alone), or has an impossible count
 */
export function usageFromGenerate(raw: JsonValue): Usage | null {
  if (!isObject(raw)) return null
  const prompt = wholeOf(raw.promptTokenCount)
  const candidates = wholeOf(raw.candidatesTokenCount)
  const reasoning = countOf(raw.thoughtsTokenCount)
  const cacheRead = countOf(raw.cachedContentTokenCount)
  const tools = countOf(raw.toolUsePromptTokenCount)
  if (prompt === undefined || candidates === undefined) return null
  if (cacheRead === null || reasoning === null || tools === null) return null
  const total = isCount(raw.totalTokenCount) ? raw.totalTokenCount - tools : null
  const isOutputZero = reasoning > 0 || total !== null
  // The report does not always include how much of the media is cached.
  const isSplitTold = tokensOf(raw.cacheTokensDetails) === cacheRead
  const counts = usageOfTold({
    prompt,
    completion: candidates ?? (isOutputZero && prompt !== null ? 0 : null),
    total,
    cacheRead,
    audioInput: mediaOf(raw, 'AUDIO', isSplitTold),
    imageInput: mediaOf(raw, 'IMAGE', isSplitTold),
    reasoning,
    audioOutput: modalityOf(raw.candidatesTokensDetails, 'AUDIO'),
    imageOutput: modalityOf(raw.candidatesTokensDetails, 'IMAGE'),
    isReasoningBeside: true,
    mayOverlap: !isSplitTold,
  })
  if (counts === null) return null
  const usage: Usage = {
    ...zeroUsage,
    ...counts,
    input: counts.input + tools,
    serviceTier: typeof raw.serviceTier === 'string' ? raw.serviceTier : null,
  }
  return isPlausible(usage) ? usage : null
}

/** Whether a report has counts. A report with only the kind of traffic has no counts. */
export function hasCounts(raw: JsonValue): boolean {
  return isObject(raw) && Object.keys(raw).some((name) => name.endsWith('TokenCount'))
}

/**
 * Whether a report includes the output. The first report of a stream may include only the prompt although text has
 * already arrived. If it counted as the last report, that text would be free.
 */
export function countsOutput(raw: JsonValue): boolean {
  return isObject(raw) && (raw.candidatesTokenCount !== undefined || raw.thoughtsTokenCount !== undefined)
}

/** Writes the wire's object, whose total is the sum of its parts. Cache writes are part of the prompt here. */
export function usageToGenerate(usage: Usage): JsonObject {
  const prompt = totalInput(usage)
  const { cacheRead, audioInput, imageInput, output, reasoning, audioOutput, imageOutput } = usage
  const candidates = output - reasoning
  const promptText = prompt - audioInput - imageInput
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + output,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    // Without this field, a reader must assume that some of the media is cached.
    ...(cacheRead > 0 &&
      audioInput + imageInput > 0 &&
      usage.isMediaWithin !== true && { cacheTokensDetails: detailsOf({ TEXT: cacheRead }) }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    ...(audioInput + imageInput > 0 && {
      promptTokensDetails: detailsOf({ TEXT: promptText, AUDIO: audioInput, IMAGE: imageInput }),
    }),
    ...(audioOutput + imageOutput > 0 && {
      candidatesTokensDetails: detailsOf({
        TEXT: candidates - audioOutput - imageOutput,
        AUDIO: audioOutput,
        IMAGE: imageOutput,
      }),
    }),
    ...(usage.serviceTier !== null && { serviceTier: usage.serviceTier }),
  }
}

function detailsOf(counts: Readonly<Record<string, number>>): readonly JsonObject[] {
  return Object.entries(counts)
    .filter(([, tokenCount]) => tokenCount > 0)
    .map(([modality, tokenCount]) => ({ modality, tokenCount }))
}

/**
 * Returns the prompt's tokens of one kind that are certainly not cached. If the report does not say, returns all of
 * them.
 */
function mediaOf(raw: JsonObject, modality: string, isSplitTold: boolean): number {
  const cached = isSplitTold ? modalityOf(raw.cacheTokensDetails, modality) : 0
  return Math.max(0, modalityOf(raw.promptTokensDetails, modality) - cached)
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

/** Null if the count is omitted, undefined if it is impossible. */
function wholeOf(value: JsonValue): number | null | undefined {
  if (value === undefined || value === null) return null
  return isCount(value) ? value : undefined
}

/** 0 if the count is omitted, null if it is impossible. */
function countOf(value: JsonValue): number | null {
  if (value === undefined || value === null) return 0
  return isCount(value) ? value : null
}

function isCount(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
