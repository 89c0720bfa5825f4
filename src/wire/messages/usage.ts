import { isPlausible, totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import {
  isAbsent,
  isObject,
  objectOf,
  textOrNull,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'

/**
 * Converts messages `usage` to the normal form (docs/reference/wires.md "Usage of messages",
 * docs/reference/conversions.md "Usage in one form"). `input_tokens` excludes cache reads and writes; `output_tokens`
 * includes thinking.
 *
 * `iterations` lists the runs of the provider for one answer. The top level includes all of them except compactions,
 * which are billed too. So each count is the larger of two values: the top level's count, or the sum over the
 * iterations. If a fallback model answered, the top level already reports its answer.
 * @param raw the usage of a non-streaming response, or of a stream merged by `mergedUsage`
 * @returns null if the usage is absent, or if a count is impossible (negative, a fraction, a string, more than a model
 *   can process). The gateway then counts itself. An explicit 0 is accepted.
 */
export function usageFromMessages(raw: JsonValue): Usage | null {
  if (!isObject(raw)) return null
  const top = countsOf(raw)
  if (top === null) return null
  const iterations = Array.isArray(raw.iterations) ? raw.iterations : []
  const isServedByFallback = iterations.some((one) => objectOf(one).type === 'fallback_message')
  const counts = isServedByFallback ? top : larger(top, sumOf(iterations))
  if (counts === null) return null
  const searches = objectOf(raw.server_tool_use).web_search_requests ?? 0
  const { input, cacheRead, cacheWrite, cacheWriteLong, output } = counts
  if (!isCount(searches)) return null
  const lacks = lackingOf(raw, counts)
  if (lacks === 'both') return null
  const told = objectOf(raw.output_tokens_details).thinking_tokens
  const thinking = isCount(told) ? told : 0
  const usage: Usage = {
    ...zeroUsage,
    input,
    cacheRead,
    cacheWrite: cacheWrite - cacheWriteLong,
    cacheWriteLong,
    // Thinking that exceeds the output cannot be included in it.
    output: thinking > output ? output + thinking : output,
    reasoning: thinking,
    webSearches: searches,
    // Fast answers cost several times as much, regardless of the tier.
    serviceTier: raw.speed === 'fast' ? 'fast' : textOrNull(raw.service_tier),
    ...(lacks !== null && { lacks }),
  }
  return isPlausible(usage) ? usage : null
}

/**
 * Merges the usage of a stream field by field. A later value replaces an earlier one and is never added to it. Null and
 * absent fields change nothing (docs/reference/wires.md "Usage of messages"). Only the first report has the split of
 * cache writes, the tier and the speed.
 */
export function mergedUsage(before: JsonObject, next: JsonValue): JsonObject {
  if (!isObject(next)) return before
  const merged: Record<string, JsonValue> = { ...before }
  for (const [name, value] of Object.entries(next)) {
    if (value === null || value === undefined) continue
    const older = merged[name]
    merged[name] = isObject(value) && isObject(older) ? { ...older, ...value } : value
  }
  return merged
}

/** Converts the normal form to all of this wire's fields, because clients read them without a check. */
export function usageToMessages(usage: Usage): JsonObject {
  return {
    input_tokens: totalInput(usage) - usage.cacheRead - usage.cacheWrite - usage.cacheWriteLong,
    cache_creation_input_tokens: usage.cacheWrite + usage.cacheWriteLong,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite,
      ephemeral_1h_input_tokens: usage.cacheWriteLong,
    },
    output_tokens: usage.output,
    ...(usage.reasoning > 0 && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
    ...(usage.webSearches > 0 && { server_tool_use: { web_search_requests: usage.webSearches } }),
  }
}

interface Counts {
  readonly input: number
  readonly cacheRead: number
  /** All cache writes, of every lifetime. */
  readonly cacheWrite: number
  readonly cacheWriteLong: number
  readonly output: number
}

/** Returns which of the two sides the report omits if no iteration states it either. */
function lackingOf(raw: JsonObject, { input, output }: Counts): 'input' | 'output' | 'both' | null {
  const isInputMissing = isAbsent(raw.input_tokens) && input === 0
  const isOutputMissing = isAbsent(raw.output_tokens) && output === 0
  if (isInputMissing && isOutputMissing) return 'both'
  return isInputMissing ? 'input' : isOutputMissing ? 'output' : null
}

function countsOf(raw: JsonObject): Counts | null {
  const input = raw.input_tokens ?? 0
  const output = raw.output_tokens ?? 0
  const cacheRead = raw.cache_read_input_tokens ?? 0
  const split = objectOf(raw.cache_creation)
  const short = split.ephemeral_5m_input_tokens ?? 0
  const long = split.ephemeral_1h_input_tokens ?? 0
  if (!isCount(input) || !isCount(output) || !isCount(cacheRead) || !isCount(short) || !isCount(long))
    return null
  const written = raw.cache_creation_input_tokens ?? 0
  if (!isCount(written)) return null
  return { input, output, cacheRead, cacheWrite: Math.max(written, short + long), cacheWriteLong: long }
}

/** An iteration may omit counts of 0. */
const nothing: JsonObject = { input_tokens: 0, output_tokens: 0 }

/** Null if one of them is impossible. */
function sumOf(iterations: readonly JsonValue[]): Counts | null {
  let sum: Counts = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0, output: 0 }
  for (const iteration of iterations) {
    const counts = countsOf(mergedUsage(nothing, iteration))
    if (counts === null) return null
    sum = combined(sum, counts, (one, other) => one + other)
  }
  return sum
}

function larger(top: Counts, sum: Counts | null): Counts | null {
  return sum && combined(top, sum, Math.max)
}

function combined(one: Counts, other: Counts, join: (a: number, b: number) => number): Counts {
  return {
    input: join(one.input, other.input),
    cacheRead: join(one.cacheRead, other.cacheRead),
    cacheWrite: join(one.cacheWrite, other.cacheWrite),
    cacheWriteLong: join(one.cacheWriteLong, other.cacheWriteLong),
    output: join(one.output, other.output),
  }
}

function isCount(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
