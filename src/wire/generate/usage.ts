import { isPlausible, totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import { isObject, listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'

/**
 * `usageMetadata` -> the normal form (docs/reference/wires.md "Usage of generate",
 * docs/reference/conversions.md "Usage in one form").
 *
 * `promptTokenCount` includes cache reads, but not the input of the provider's own tools; `candidatesTokenCount`
 * excludes thoughts. This wire leaves out a count of 0, but a report without `promptTokenCount` says nothing
 * (Vertex: `trafficType` alone).
 * @returns null when it is absent or impossible: it then counts as missing
 */
export function usageFromGenerate(raw: JsonValue): Usage | null {
  if (!isObject(raw) || !isCount(raw.promptTokenCount)) return null
  const prompt = raw.promptTokenCount
  const cached = countOf(raw.cachedContentTokenCount)
  const candidates = countOf(raw.candidatesTokenCount)
  const thoughts = countOf(raw.thoughtsTokenCount)
  const tools = countOf(raw.toolUsePromptTokenCount)
  if (cached === null || candidates === null || thoughts === null || tools === null) return null
  // The report does not always say how much of the media is cached.
  const isSplitTold = tokensOf(raw.cacheTokensDetails) === cached
  const audioInput = mediaOf(raw, 'AUDIO', isSplitTold, prompt)
  const imageInput = mediaOf(raw, 'IMAGE', isSplitTold, prompt - audioInput)
  const media = audioInput + imageInput
  // Parts that exceed the whole are ignored: the whole at the full rate is never too little.
  const isWhole = cached > prompt
  const isMediaWithin = media > 0 && !isWhole && (!isSplitTold || cached + media > prompt)
  const audioOutput = Math.min(modalityOf(raw.candidatesTokensDetails, 'AUDIO'), candidates)
  const usage: Usage = {
    ...zeroUsage,
    input: prompt - (isWhole ? 0 : cached) - (isMediaWithin ? 0 : media) + tools,
    cacheRead: isWhole ? 0 : cached,
    audioInput,
    imageInput,
    output: candidates + thoughts,
    reasoning: thoughts,
    audioOutput,
    imageOutput: Math.min(modalityOf(raw.candidatesTokensDetails, 'IMAGE'), candidates - audioOutput),
    serviceTier: typeof raw.serviceTier === 'string' ? raw.serviceTier : null,
    ...(isMediaWithin && { isMediaWithin }),
  }
  return isPlausible(usage) ? usage : null
}

/** Whether a report has counts; one that only names the kind of traffic has none. */
export function hasCounts(raw: JsonValue): boolean {
  return isObject(raw) && Object.keys(raw).some((name) => name.endsWith('TokenCount'))
}

/**
 * Whether a report includes the output. The first of a stream may count the prompt alone while text is already
 * there: taken as the last report it would make that text free.
 */
export function countsOutput(raw: JsonValue): boolean {
  return isObject(raw) && (raw.candidatesTokenCount !== undefined || raw.thoughtsTokenCount !== undefined)
}

/** The wire's object, whose total is the sum of its parts. Cache writes are prompt here. */
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
    // Without it a reader must assume that some of the media is cached.
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

/** The prompt's tokens of one kind that are certainly not cached; all of them where the report does not say. */
function mediaOf(raw: JsonObject, modality: string, isSplitTold: boolean, most: number): number {
  const cached = isSplitTold ? modalityOf(raw.cacheTokensDetails, modality) : 0
  return Math.min(Math.max(0, modalityOf(raw.promptTokensDetails, modality) - cached), most)
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

/** 0 where it is left out, null where it is impossible. */
function countOf(value: JsonValue): number | null {
  if (value === undefined || value === null) return 0
  return isCount(value) ? value : null
}

function isCount(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
