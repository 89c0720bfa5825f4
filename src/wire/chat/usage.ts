import { isPlausible, totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import { isAbsent, listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { statedCost } from '#wire/provider-cost.ts'
import { usageOfTold } from '#wire/told-counts.ts'

/**
 * Converts chat-completions `usage` to the normal form (docs/reference/wires.md "Usage of chat",
 * docs/reference/conversions.md "Usage in one form").
 *
 * OpenAI includes cached tokens in `prompt_tokens` and reasoning in `completion_tokens`. Several compatible servers
 * include one of them in neither, or only in `total_tokens` (told-counts.ts decides). Compatible servers use other
 * names for the cached part: DeepSeek uses `prompt_cache_hit_tokens`, and Moonshot uses `cached_tokens` at the top
 * level.
 * @returns null if the usage is absent, or if a count is impossible (negative, a fraction, a string, more than a model
 *   can process). The gateway then counts itself. An explicit 0 is accepted.
 */
export function usageFromChat(raw: unknown, serviceTier: string | null): Usage | null {
  if (!isRecord(raw)) return null
  const prompt = wholeOf(raw.prompt_tokens)
  const completion = wholeOf(raw.completion_tokens)
  if (prompt === undefined || completion === undefined) return null
  const inputDetails = isRecord(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  const outputDetails = isRecord(raw.completion_tokens_details) ? raw.completion_tokens_details : {}
  const counts = usageOfTold({
    prompt,
    completion,
    total: isCount(raw.total_tokens) ? raw.total_tokens : null,
    cacheRead: part(inputDetails.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens),
    cacheWrite: part(inputDetails.cache_write_tokens),
    audioInput: part(inputDetails.audio_tokens),
    imageInput: part(inputDetails.image_tokens),
    reasoning: part(outputDetails.reasoning_tokens),
    audioOutput: part(outputDetails.audio_tokens),
    imageOutput: part(outputDetails.image_tokens),
    // This wire does not report how much of the media is cached.
    mayOverlap: true,
    hasAudio: typeof raw.prompt_audio_seconds === 'number' && raw.prompt_audio_seconds > 0,
  })
  if (counts === null) return null
  const usage: Usage = { ...zeroUsage, ...counts, serviceTier, ...statedCost(raw) }
  return isPlausible(usage) ? usage : null
}

/**
 * Returns the usage in a response or a chunk, wherever the server puts it: at the top level, in a choice (Moonshot), or
 * in Groq's own member. Undefined or null if there is no usage.
 */
export function reportedUsage({ usage, choices, x_groq: groq }: JsonObject): JsonValue {
  if (!isAbsent(usage)) return usage
  for (const choice of listOf(choices)) {
    const { usage: choiceUsage } = objectOf(choice)
    if (!isAbsent(choiceUsage)) return choiceUsage
  }
  return objectOf(groq).usage
}

/** Converts the normal form to chat-completions `usage`. The parts are within the totals, as clients add them up. */
export function usageToChat(usage: Usage): JsonObject {
  const input = totalInput(usage)
  return {
    prompt_tokens: input,
    completion_tokens: usage.output,
    total_tokens: input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite + usage.cacheWriteLong,
      audio_tokens: usage.audioInput,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
    },
  }
}

/** Null if the count is absent, undefined if it is impossible. */
function wholeOf(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null
  return isCount(value) ? value : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function part(value: unknown): number {
  return isCount(value) ? value : 0
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
