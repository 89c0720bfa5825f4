import type { CallBound } from '#money/decision-types.ts'
import { demandAt, isSoundDearer, withToolUses, worstCase } from '#money/worst-case.ts'
import { compactionTokensMax, contextTokensMax } from '#wire/bound/assumed-token-maxima.ts'
import type { FetchedMedium } from '#wire/media-token-types.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { isExtendable } from '#gateway/call/is-hold-extendable.ts'
import { outputTokensFirst } from '#gateway/call/dependencies-of-gateway.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { Way } from '#gateway/call/routed-target-types.ts'
import {
  imageCounterOf,
  pageImageTokensOf,
  readsPagesAsGoogle,
} from './how-model-counts-images-and-pdf-pages.ts'
import { pageImageTokens } from '#wire/bound/document-bounds.ts'
import { usesAt } from './reject-unpriced-gemini-images.ts'
import { canReportOf } from './dimensions-that-provider-may-report.ts'
import { fileSearchesOf, toolBoundOf } from '#gateway/call/apply-provider-tool-rules.ts'
import { providerAddedTokens } from './tokens-that-provider-adds.ts'

/**
 * @param textTokens the tokens of the request without the provider's additions
 * @param raised the maximum output that replaces the client's maximum (Dispatch.outputTokensRaised)
 */
export function boundOf(request: WireRequest, plan: Plan, textTokens: number, raised?: number): CallBound {
  const usual = request.isBackground === true ? plan.outputTokensMax : plan.outputTokensDefault
  // If the alias or the application sets a maximum output, the first hold covers it in full. Otherwise, the hold of a
  // stream starts small and is extended.
  const isSliced = isExtendable(request) && !plan.hasCeiling && !plan.isMaximumImposed
  const first = isSliced ? Math.min(outputTokensFirst, usual) : usual
  const sent = {
    textTokens: textTokens + providerAddedTokens(request, plan) + differenceOfMedia(request, plan),
    audioTokens: audioTokensOf(request, plan),
    imageTokens: request.images === null ? 0 : request.images[imageCounterOf(plan)],
  }
  const input = withUnsent(sent, request, plan)
  const inputTokens = input.textTokens + input.audioTokens + input.imageTokens
  const tools = toolBoundOf(request, plan, inputTokens)
  const compaction = compactionOf(request, inputTokens)
  const drawn = usesAt(request, plan)
  const searched = tools && fileSearchesOf(request, plan, tools)
  const own = searched === undefined ? drawn : { ...drawn, ...searched }
  const uses = compaction === 0 ? own : { ...own, output: compactionTokensMax }
  const bound: CallBound = {
    ...input,
    alias: request.model,
    textTokens: input.textTokens + compaction,
    outputTokens: (raised ?? request.outputTokensMax ?? first) * request.choices,
    choices: request.choices,
    serviceTier: request.serviceTier,
    canReport: canReportOf(request, plan),
    ...(uses !== undefined && { uses }),
  }
  return tools === undefined ? bound : { ...bound, tools }
}

/** docs/reference/tokens.md "Sound" explains how each vendor counts sounds. */
function audioTokensOf(request: WireRequest, { account: { kind }, target: { model } }: Plan): number {
  const { audioTokensMax, openaiSoundTokensMax, soundPieceTokensMax } = request
  if (openaiSoundTokensMax === undefined || soundPieceTokensMax === undefined) return audioTokensMax
  if (/voxtral/i.test(model)) return soundPieceTokensMax
  return openaiKinds.has(kind) && openaiSound.test(model) ? openaiSoundTokensMax : audioTokensMax
}

const openaiKinds: ReadonlySet<string> = new Set(['openai', 'azure_openai', 'openrouter'])
const openaiSound = /^(?:openai\/)?gpt-(?:4o-(?:mini-)?)?audio/i

/**
 * Input tokens of a compaction: the model reads all input to summarize it, and then reads the summary. 0 if the input
 * is too small for a compaction. With provider-run tools, no input is too small, because tool results may enlarge it.
 */
function compactionOf({ compactsAbove, run }: WireRequest, inputTokens: number): number {
  if (compactsAbove === undefined) return 0
  return run === undefined && inputTokens < compactsAbove ? 0 : inputTokens + compactionTokensMax
}

type InputTokens = Pick<CallBound, 'textTokens' | 'audioTokens' | 'imageTokens'>

/**
 * Adds content that the provider fetches, and the conversation that the provider stores. A conversation of unknown
 * length counts like fetched content.
 */
function withUnsent(input: InputTokens, { conversation, fetched }: WireRequest, plan: Plan): InputTokens {
  const medium = fetched ?? (conversation && 'document')
  if (medium === undefined) return input
  const whole = withFetched(input, medium, plan)
  const { length } = conversation ?? {}
  if (fetched !== undefined || length === undefined) return whole
  if (length.model !== null && length.model !== plan.target.model) return whole
  // The conversation may contain images, so all its tokens count at the higher of the rates for text and images.
  const imageTokens = input.imageTokens + length.tokens + framingOfStored
  return imageTokens < whole.imageTokens ? { ...input, imageTokens } : whole
}

/** When a model reads a conversation again, a template adds tokens around its last response. */
const framingOfStored = 64

/**
 * Fetched content counts as if it filled the rest of the context window, at the price of the most expensive medium that
 * it may contain. A provider rejects a longer input and bills nothing for it.
 */
function withFetched(
  input: InputTokens,
  medium: FetchedMedium,
  { contextTokens, quote }: Pick<Plan, 'contextTokens' | 'quote'>,
): InputTokens {
  const { audioTokens, imageTokens, textTokens } = input
  const window = contextTokens ?? contextTokensMax
  const rest = Math.max(0, window - textTokens - audioTokens - imageTokens)
  const isSound = medium === 'any' && isSoundDearer(quote, window)
  return isSound
    ? { ...input, audioTokens: audioTokens + rest }
    : { ...input, imageTokens: imageTokens + rest }
}

/**
 * Corrects the general maximum for documents and videos. Some vendors count fewer tokens per page, Bedrock counts more
 * per frame, and Gemini 3 fewer.
 */
function differenceOfMedia(request: WireRequest, plan: Plan): number {
  const { bedrockVideoExcess = 0, documents, gemini3VideoSaved = 0 } = request
  const isGemini3 = gemini3VideoSaved > 0 && imageCounterOf(plan) === 'gemini3'
  const atBedrock = plan.account.kind === 'bedrock' ? bedrockVideoExcess : 0
  const ofVideos = isGemini3 ? -gemini3VideoSaved : atBedrock
  if (documents === null) return ofVideos
  if (readsPagesAsGoogle(plan)) return ofVideos + documents.googleTokensMax - documents.tokensMax
  return ofVideos - documents.imagedPages * (pageImageTokens - pageImageTokensOf(plan))
}

/**
 * The minimum that a call must hold, in micros, at the cheapest target. Covers one output token for each choice and one
 * use of the provider-run tools.
 */
export function leastDemand(request: WireRequest, ways: readonly Way[], textTokens: number): bigint {
  const demands = ways.map(({ plan }) => {
    const bound = boundOf(request, plan, textTokens)
    const { tools } = bound
    const least = tools === undefined ? bound : withToolUses(bound, tools, 1)
    return demandAt(worstCase(plan.quote, least), bound.choices).micros
  })
  return demands.reduce((least, one) => (one < least ? one : least))
}
