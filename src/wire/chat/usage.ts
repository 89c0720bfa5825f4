import { isPlausible, totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import { isAbsent, listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { statedCost } from '#wire/provider-cost.ts'

/**
 * Chat-completions `usage` -> the normal form (docs/reference/wires.md "Usage of chat",
 * docs/reference/conversions.md "Usage in one form").
 *
 * `prompt_tokens` includes cache reads and writes. `completion_tokens` includes reasoning at OpenAI and most
 * others, but not at xAI and at Gemini's address for this wire: there `total_tokens` exceeds the two together,
 * and all of it that is not prompt is output.
 * Compatible servers name the cached part differently (DeepSeek: `prompt_cache_hit_tokens`; Moonshot:
 * `cached_tokens` at the top).
 * @returns null when it is absent or impossible (negative, a fraction, a text, more than a model can do): the
 *   gateway then counts itself. An explicit 0 is honoured.
 */
export function usageFromChat(raw: unknown, serviceTier: string | null): Usage | null {
  if (!isRecord(raw)) return null
  const prompt = raw.prompt_tokens
  const completion = raw.completion_tokens
  if (!isCount(prompt) || !isCount(completion)) return null
  const outputDetails = isRecord(raw.completion_tokens_details) ? raw.completion_tokens_details : {}
  const output = Math.max(completion, part(raw.total_tokens) - prompt)
  const beside = output - completion
  // Where the parts exceed the whole, the dearer kinds are believed first.
  const audioOutput = Math.min(part(outputDetails.audio_tokens), output)
  const imageOutput = Math.min(part(outputDetails.image_tokens), output - audioOutput)
  const reasoning = Math.max(part(outputDetails.reasoning_tokens), beside)
  const usage: Usage = {
    ...zeroUsage,
    ...inputOf(prompt, raw),
    output,
    reasoning: Math.min(reasoning, output - audioOutput - imageOutput),
    audioOutput,
    imageOutput,
    serviceTier,
    ...statedCost(raw),
  }
  return isPlausible(usage) ? usage : null
}

type InputCounts = Pick<
  Usage,
  'input' | 'cacheRead' | 'cacheWrite' | 'audioInput' | 'imageInput' | 'isMediaWithin'
>

function inputOf(prompt: number, raw: Record<string, unknown>): InputCounts {
  const details = isRecord(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  const cacheRead = part(details.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens)
  const cacheWrite = part(details.cache_write_tokens)
  const audioInput = Math.min(part(details.audio_tokens), prompt)
  const imageInput = Math.min(part(details.image_tokens), prompt - audioInput)
  const cached = cacheRead + cacheWrite
  // Parts that exceed the whole are ignored: the whole at the full rate is never too little.
  const isWhole = cached > prompt
  const media = audioInput + imageInput
  // This wire does not say how much of the media is cached.
  const isMediaWithin = media > 0 && cached > 0 && !isWhole
  return {
    input: prompt - (isWhole ? 0 : cached) - (isMediaWithin ? 0 : media),
    cacheRead: isWhole ? 0 : cacheRead,
    cacheWrite: isWhole ? 0 : cacheWrite,
    audioInput,
    imageInput,
    ...(isMediaWithin && { isMediaWithin }),
  }
}

/**
 * The usage in an answer or a chunk, wherever its server puts it: at the top, in a choice (Moonshot), or in
 * Groq's own member. Undefined or null: there is none.
 */
export function reportedUsage({ usage, choices, x_groq: groq }: JsonObject): JsonValue {
  if (!isAbsent(usage)) return usage
  for (const choice of listOf(choices)) {
    const { usage: choiceUsage } = objectOf(choice)
    if (!isAbsent(choiceUsage)) return choiceUsage
  }
  return objectOf(groq).usage
}

/** The normal form -> chat-completions `usage`; the parts are within the wholes, as clients add them up. */
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

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function part(value: unknown): number {
  return isCount(value) ? value : 0
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
