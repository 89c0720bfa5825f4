import { isPlausible, totalInput, type Usage } from '#money/usage-counts.ts'
import { isAbsent, isObject, numberOrNull, objectOf } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { openaiTier } from '#wire/openai-service-tier.ts'
import { statedCost } from '#wire/provider-stated-cost.ts'
import { type Told, usageOfReported } from '#wire/usage-from-reported-counts.ts'
import { partsOn, readParts, withCounts } from '#wire/read-and-write-usage-counts.ts'

const parts = partsOn('responses')

/**
 * Converts `usage` of a response to the normal form (docs/reference/wires.md "Usage on the responses wire",
 * docs/reference/conversions.md "Usage in a common form"). `input_tokens` includes cache reads and writes, and
 * `output_tokens` includes reasoning, unless the counts contradict this rule (usage-from-reported-counts.ts).
 * @param searches `tool_usage.web_search.num_requests`, which is billed separately
 * @returns null if the usage is absent, or if a count is impossible (negative, a fraction, a string, too large). Then
 * the gateway counts the tokens itself.
 */
export function usageFromResponses(
  raw: JsonValue,
  serviceTier: string | null,
  searches: JsonValue = 0,
): Usage | null {
  if (!isObject(raw)) return null
  const prompt = wholeOf(raw.input_tokens)
  const completion = wholeOf(raw.output_tokens)
  const inputDetails = objectOf(raw.input_tokens_details)
  const cacheWriteLong = part(objectOf(inputDetails.cache_write_tokens_details).ttl_12h_tokens)
  const webSearches = part(searches)
  if (prompt === undefined || completion === undefined || cacheWriteLong === null || webSearches === null)
    return null
  const told: Told = {
    prompt,
    completion,
    total: countOf(raw.total_tokens),
    isCacheWithin: !isAbsent(raw.is_byok),
  }
  if (!readParts(told, raw, parts, part)) return null
  told.cacheWriteLong = cacheWriteLong
  told.cacheWrite = Math.max(0, (told.cacheWrite ?? 0) - cacheWriteLong)
  const counts = usageOfReported(told)
  if (counts === null) return null
  const usage: Usage = {
    ...counts,
    webSearches,
    serviceTier: openaiTier(serviceTier),
    ...statedCost(raw),
  }
  return isPlausible(usage) ? usage : null
}

/** Reads a response body, or the response in the last frame of a stream. */
export function usageOfResponse(response: JsonObject): Usage | null {
  const tier = response.service_tier
  const searches = objectOf(objectOf(response.tool_usage).web_search).num_requests
  return usageFromResponses(response.usage, typeof tier === 'string' ? tier : null, searches)
}

/**
 * Writes every count, because Codex ignores a report that lacks a count. Lifetimes of cache writes are written only if
 * some are long, because @openai/agents throws at a detail that is not a number.
 */
export function usageToResponses(usage: Usage): JsonObject {
  const { cacheWrite, cacheWriteLong, output } = usage
  const lifetimes = { ttl_30m_tokens: cacheWrite, ttl_12h_tokens: cacheWriteLong }
  return withCounts(
    {
      input_tokens: 0,
      input_tokens_details: {
        cached_tokens: 0,
        cache_write_tokens: 0,
        ...(cacheWriteLong > 0 && { cache_write_tokens_details: lifetimes }),
      },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: totalInput(usage) + output,
    },
    usage,
    'responses',
  )
}

function wholeOf(value: JsonValue): number | null | undefined {
  return isAbsent(value) ? null : (countOf(value) ?? undefined)
}

function part(value: JsonValue): number | null {
  return isAbsent(value) ? 0 : countOf(value)
}

function countOf(value: JsonValue): number | null {
  const count = numberOrNull(value)
  return count !== null && Number.isSafeInteger(count) && count >= 0 ? count : null
}
