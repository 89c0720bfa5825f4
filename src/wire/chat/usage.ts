import type { Usage } from '#money/usage.ts'
import { isPlausible, totalInput } from '#money/usage.ts'
import type { JsonObject } from '#wire/neutral.ts'

/**
 * Chat-completions `usage` -> the normal form (wire.md 1.5, 5.2).
 *
 * `prompt_tokens` includes what was cached and written, and `completion_tokens` what was reasoned.
 * Compatible servers name the cached part differently (DeepSeek: `prompt_cache_hit_tokens`; Moonshot:
 * `cached_tokens` at the top).
 * @returns null when it is absent, or says something that cannot be (negative, a fraction, a text, more
 *   than a model can do): it then counts as missing and we count ourselves. An explicit 0 is honoured.
 */
export function usageFromChat(raw: unknown, serviceTier: string | null): Usage | null {
  if (!isRecord(raw)) return null
  const prompt = raw.prompt_tokens
  const output = raw.completion_tokens
  if (!isCount(prompt) || !isCount(output)) return null
  const promptDetails = isRecord(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  const outputDetails = isRecord(raw.completion_tokens_details) ? raw.completion_tokens_details : {}
  const cacheRead = part(promptDetails.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens)
  const cacheWrite = part(promptDetails.cache_write_tokens)
  const audioInput = part(promptDetails.audio_tokens)
  const imageInput = part(promptDetails.image_tokens)
  const reasoning = part(outputDetails.reasoning_tokens)
  const audioOutput = part(outputDetails.audio_tokens)
  const imageOutput = part(outputDetails.image_tokens)
  const special = cacheRead + cacheWrite + audioInput + imageInput
  // Parts that are more than the whole are no parts: the whole at the full rate is never too little.
  const isWhole = special > prompt
  const usage: Usage = {
    input: isWhole ? prompt : prompt - special,
    cacheRead: isWhole ? 0 : cacheRead,
    cacheWrite: isWhole ? 0 : cacheWrite,
    cacheWriteLong: 0,
    audioInput: isWhole ? 0 : audioInput,
    imageInput: isWhole ? 0 : imageInput,
    output,
    reasoning: Math.min(reasoning, output),
    audioOutput: Math.min(audioOutput, output - Math.min(reasoning, output)),
    imageOutput: 0,
    webSearches: 0,
    serviceTier,
  }
  const withImages = {
    ...usage,
    imageOutput: Math.min(imageOutput, output - usage.reasoning - usage.audioOutput),
  }
  return isPlausible(withImages) ? withImages : null
}

/** The normal form -> chat-completions `usage`; its parts are within its wholes, as clients add them up. */
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
