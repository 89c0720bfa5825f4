import { isPlausible, totalInput, zeroUsage, type Usage } from '#money/usage-counts.ts'
import { isAbsent, isObject, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { valueAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { isGiven } from '#wire/wire-request.ts'

/**
 * Converts the usage of Cohere's chat to the normal form (docs/reference/wires.md "Cohere's chat"). Cohere bills the
 * counts in `billed_units`. The counts in `tokens` include instructions that Cohere does not bill. These counts are
 * used only if `billed_units` is absent. Cached tokens are not subtracted from the billed tokens, because cached tokens
 * are a part of the prompt in `tokens`.
 * @returns null if the usage is absent, or if a count is impossible. Then the gateway counts the tokens itself.
 */
export function usageFromCohere(raw: JsonValue): Usage | null {
  const { billed_units: billed, cached_tokens: cached, tokens } = objectOf(raw)
  const isBilled = hasCounts(billed)
  const counts = isBilled ? billed : tokens
  if (!hasCounts(counts)) return null
  const input = countOf(counts.input_tokens)
  const output = countOf(counts.output_tokens)
  const reasoning = countOf(objectOf(tokens).reasoning_tokens)
  const cacheRead = isBilled ? 0 : countOf(cached)
  if (input === null || output === null || reasoning === null || cacheRead === null) return null
  const lacks = isAbsent(counts.input_tokens) ? 'input' : isAbsent(counts.output_tokens) ? 'output' : null
  const usage: Usage = {
    ...zeroUsage,
    input: Math.max(0, input - cacheRead),
    cacheRead: Math.min(cacheRead, input),
    output,
    reasoning: Math.min(reasoning, output),
    ...(lacks !== null && { lacks }),
  }
  return isPlausible(usage) ? usage : null
}

export function reportedUsage(
  json: Json,
  usage: Node,
): { readonly usage: Usage | null; readonly hasReportedUsage: boolean } {
  if (!isGiven(json, usage)) return { usage: null, hasReportedUsage: false }
  return { usage: usageFromCohere(valueAt(json, usage)), hasReportedUsage: true }
}

export function usageToCohere(usage: Usage): JsonObject {
  const { cacheRead, cacheReadAudio, output, reasoning } = usage
  const counts = { input_tokens: totalInput(usage), output_tokens: output }
  return {
    billed_units: counts,
    tokens: { ...counts, ...(reasoning > 0 && { reasoning_tokens: reasoning }) },
    cached_tokens: cacheRead + cacheReadAudio,
  }
}

function hasCounts(counts: JsonValue): counts is JsonObject {
  return isObject(counts) && !(isAbsent(counts.input_tokens) && isAbsent(counts.output_tokens))
}

function countOf(value: JsonValue): number | null {
  if (isAbsent(value)) return 0
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
