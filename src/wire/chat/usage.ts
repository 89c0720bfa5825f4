import { isPlausible, totalInput, type Usage } from '#money/usage-counts.ts'
import {
  isAbsent,
  listOf,
  objectOf,
  textOrNull,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import { openaiTier } from '#wire/openai-service-tier.ts'
import { statedCost } from '#wire/provider-stated-cost.ts'
import { type Told, usageOfReported } from '#wire/usage-from-reported-counts.ts'
import { partsOn, readParts, withCounts } from '#wire/read-and-write-usage-counts.ts'

const parts = partsOn('chat')

/**
 * Converts chat-completions `usage` to the normal form (docs/reference/wires.md "Usage on the chat wire",
 * docs/reference/conversions.md "Usage in a common form").
 *
 * OpenAI includes cached tokens in `prompt_tokens` and reasoning in `completion_tokens`. On several compatible servers,
 * these counts exclude the parts, and at most `total_tokens` includes them (usage-from-reported-counts.ts). Other names
 * for the cached part are `prompt_cache_hit_tokens` (DeepSeek) and `cached_tokens` at the top level (Moonshot).
 * @returns null if the usage is absent, or if a count is impossible (negative, a fraction, a string, too large). Then
 * the gateway counts the tokens itself.
 */
export function usageFromChat(raw: unknown, serviceTier: string | null): Usage | null {
  if (!isRecord(raw)) return null
  const prompt = wholeOf(raw.prompt_tokens)
  const completion = wholeOf(raw.completion_tokens)
  if (prompt === undefined || completion === undefined) return null
  const told: Told = {
    prompt,
    completion,
    total: isCount(raw.total_tokens) ? raw.total_tokens : null,
    // Chat completions do not report how much of the media is cached.
    mayOverlap: true,
    hasAudio: typeof raw.prompt_audio_seconds === 'number' && raw.prompt_audio_seconds > 0,
    // Only OpenRouter states `is_byok`. There, the cache reads and the cache writes may each be nearly as large as the
    // whole prompt.
    isCacheWithin: !isAbsent(raw.is_byok),
  }
  readParts(told, raw, parts, part)
  const cached = objectOf(raw.prompt_tokens_details).cached_tokens
  if (isAbsent(cached)) told.cacheRead = part(raw.prompt_cache_hit_tokens ?? raw.cached_tokens)
  const counts = usageOfReported(told)
  if (counts === null) return null
  const webSearches = searchesOf(raw)
  const usage: Usage = {
    ...counts,
    webSearches,
    serviceTier: openaiTier(serviceTier),
    ...statedCost(raw),
  }
  return isPlausible(usage) ? usage : null
}

/** A server puts the usage at the top level, in a choice (Moonshot), or in the member `x_groq` (Groq). */
export function reportedUsage({ usage, choices, model, x_groq: groq }: JsonObject): JsonValue {
  if (!isAbsent(usage)) return withCitations(usage, model)
  for (const choice of listOf(choices)) {
    const { usage: choiceUsage } = objectOf(choice)
    if (!isAbsent(choiceUsage)) return withCitations(choiceUsage, model)
  }
  return objectOf(groq).usage
}

/**
 * Adds the tokens of pages that the model has read to `prompt_tokens`. Perplexity's research model bills read pages at
 * the rate of input, but excludes the pages from `prompt_tokens` (docs/reference/wires.md "Usage on the chat wire").
 */
function withCitations(usage: JsonValue, model: JsonValue): JsonValue {
  const isResearch = textOrNull(model)?.includes('sonar-deep-research') === true
  if (!isResearch || !isRecord(usage)) return usage
  const {
    citation_tokens: read,
    completion_tokens: completion,
    prompt_tokens: prompt,
    total_tokens: total,
  } = usage
  if (!isCount(read) || !isCount(prompt) || !isCount(completion)) return usage
  // A total that equals the sum of prompt, read pages and completion already includes the pages.
  const all = prompt + read + completion
  return {
    ...usage,
    prompt_tokens: prompt + read,
    ...(isCount(total) && { total_tokens: Math.max(total, all) }),
  }
}

export function withSearches<U extends Usage | null>(usage: U, searches: number): U {
  return usage === null || usage.webSearches >= searches ? usage : { ...usage, webSearches: searches }
}

/** The totals include cached tokens and reasoning, as clients expect. */
export function usageToChat(usage: Usage): JsonObject {
  const total_tokens = totalInput(usage) + usage.output
  const prompt_tokens_details = { cached_tokens: 0, cache_write_tokens: 0 }
  return withCounts(
    { prompt_tokens: 0, completion_tokens: 0, total_tokens, prompt_tokens_details },
    usage,
    'chat',
  )
}

/** Perplexity reports the number in one field, and OpenRouter in one of two fields. */
function searchesOf(raw: Record<string, unknown>): number {
  const { num_search_queries: queries, server_tool_use: tools, server_tool_use_details: details } = raw
  const [one, other] = [tools, details].map((counts) =>
    part(isRecord(counts) ? counts.web_search_requests : 0),
  ) as [number, number]
  return part(queries) + Math.max(one, other)
}

function wholeOf(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null
  return isCount(value) ? value : undefined
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function part(value: unknown): number {
  return isCount(value) ? value : 0
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
