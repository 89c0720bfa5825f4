import { isPlausible, totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import { isAbsent, isObject, numberOrNull, objectOf } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { statedCost } from '#wire/provider-cost.ts'

/**
 * `usage` of a response -> the normal form (docs/reference/wires.md "Usage of responses",
 * docs/reference/conversions.md "Usage in one form"). `input_tokens` includes cache reads and writes,
 * `output_tokens` includes reasoning.
 * @param searches `tool_usage.web_search.num_requests`, which is billed apart
 * @returns null when it is absent or impossible (negative, a fraction, a text, more than a model can do): the
 *   gateway then counts itself. An explicit 0 is honoured.
 */
export function usageFromResponses(
  raw: JsonValue,
  serviceTier: string | null,
  searches: JsonValue = 0,
): Usage | null {
  if (!isObject(raw)) return null
  const input = countOf(raw.input_tokens)
  const output = countOf(raw.output_tokens)
  if (input === null || output === null) return null
  const inputDetails = objectOf(raw.input_tokens_details)
  const cacheRead = part(inputDetails.cached_tokens)
  const written = part(inputDetails.cache_write_tokens)
  const writtenLong = part(objectOf(inputDetails.cache_write_tokens_details).ttl_12h_tokens)
  const reasoning = part(objectOf(raw.output_tokens_details).reasoning_tokens)
  const webSearches = part(searches)
  if (
    cacheRead === null ||
    written === null ||
    writtenLong === null ||
    reasoning === null ||
    webSearches === null
  )
    return null
  // Parts that exceed the whole are ignored: the whole at the full rate is never too little.
  const isWhole = cacheRead + written > input
  const cacheWriteLong = isWhole ? 0 : Math.min(writtenLong, written)
  const usage: Usage = {
    ...zeroUsage,
    input: isWhole ? input : input - cacheRead - written,
    cacheRead: isWhole ? 0 : cacheRead,
    cacheWrite: isWhole ? 0 : written - cacheWriteLong,
    cacheWriteLong,
    output,
    reasoning: Math.min(reasoning, output),
    webSearches,
    serviceTier,
    ...statedCost(raw),
  }
  return isPlausible(usage) ? usage : null
}

/** The usage of a whole response, in an answer's body or in the last frame of a stream. */
export function usageOfResponse(response: JsonObject): Usage | null {
  const tier = response.service_tier
  const searches = objectOf(objectOf(response.tool_usage).web_search).num_requests
  return usageFromResponses(response.usage, typeof tier === 'string' ? tier : null, searches)
}

/**
 * The normal form in this wire's fields, every number included: Codex ignores a report that lacks one. The
 * lifetimes of cache writes only where one is unusual: @openai/agents throws at a detail that is no number.
 */
export function usageToResponses(usage: Usage): JsonObject {
  const input = totalInput(usage)
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite + usage.cacheWriteLong,
      ...(usage.cacheWriteLong > 0 && {
        cache_write_tokens_details: {
          ttl_30m_tokens: usage.cacheWrite,
          ttl_12h_tokens: usage.cacheWriteLong,
        },
      }),
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  }
}

/** 0 for an absent count; null for an impossible one. */
function part(value: JsonValue): number | null {
  return isAbsent(value) ? 0 : countOf(value)
}

function countOf(value: JsonValue): number | null {
  const count = numberOrNull(value)
  return count !== null && Number.isSafeInteger(count) && count >= 0 ? count : null
}
