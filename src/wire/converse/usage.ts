import { isPlausible, totalInput, zeroUsage, type Usage } from '#money/usage-counts.ts'
import { isAbsent, isObject, listOf, objectOf, parseObject, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { member, valueAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { isGiven, textAt } from '#wire/wire-request.ts'

/**
 * Converts the usage of Converse to the normal form (docs/reference/wires.md "Bedrock"). `inputTokens` excludes cache
 * reads and writes. `cacheWriteInputTokens` includes writes of every lifetime.
 * @param answer the response, or the `metadata` of a stream
 * @returns null if the usage is absent, or if a count is impossible. Then the gateway counts the tokens itself.
 */
export function usageFromConverse({ serviceTier, usage: raw }: JsonObject): Usage | null {
  if (!isObject(raw) || (isAbsent(raw.inputTokens) && isAbsent(raw.outputTokens))) return null
  const input = countOf(raw.inputTokens)
  const output = countOf(raw.outputTokens)
  const cacheRead = countOf(raw.cacheReadInputTokens)
  const written = countOf(raw.cacheWriteInputTokens)
  const cacheWriteLong = longWrites(raw.cacheDetails)
  if (input === null || output === null || cacheRead === null || written === null) return null
  if (cacheWriteLong === null || cacheWriteLong > written) return null
  const lacks = isAbsent(raw.inputTokens) ? 'input' : isAbsent(raw.outputTokens) ? 'output' : null
  const usage: Usage = {
    ...zeroUsage,
    input,
    output,
    cacheRead,
    cacheWrite: written - cacheWriteLong,
    cacheWriteLong,
    serviceTier: textOrNull(objectOf(serviceTier).type),
    ...(lacks !== null && { lacks }),
  }
  return isPlausible(usage) ? usage : null
}

export function reportedUsage(
  json: Json,
  answer: Node,
): { readonly usage: Usage | null; readonly hasReportedUsage: boolean } {
  const usage = member(json, answer, 'usage')
  if (!isGiven(json, usage)) return { usage: null, hasReportedUsage: false }
  const serviceTier = { type: textAt(json, member(json, member(json, answer, 'serviceTier'), 'type')) }
  return { usage: usageFromConverse({ usage: valueAt(json, usage), serviceTier }), hasReportedUsage: true }
}

/** Input, output and total are always present, because clients read these fields without checking that they exist. */
export function usageToConverse(usage: Usage): JsonObject {
  const { cacheWrite, cacheWriteLong, output } = usage
  const { cacheRead, uncached, written } = inputCounts(usage)
  return {
    inputTokens: uncached,
    outputTokens: output,
    totalTokens: totalInput(usage) + output,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: written,
    ...(cacheWriteLong > 0 && {
      cacheDetails: [
        { ttl: '5m', inputTokens: cacheWrite },
        { ttl: '1h', inputTokens: cacheWriteLong },
      ],
    }),
  }
}

/** Returns the input as AWS counts it: text and media together, without cache reads and writes. */
export function inputCounts(usage: Usage): {
  readonly uncached: number
  readonly cacheRead: number
  readonly written: number
} {
  const { cacheOverlap = 0, cacheReadAudio, cacheWrite, cacheWriteLong } = usage
  const cacheRead = usage.cacheRead + cacheReadAudio
  const written = cacheWrite + cacheWriteLong
  return { uncached: totalInput(usage) - cacheRead - written + cacheOverlap, cacheRead, written }
}

/** @returns undefined if the text is not a response of Converse */
export function usageOfConverse(text: ByteText): Usage | null | undefined {
  const body = parseObject(textOf(text))
  return body && isObject(objectOf(body.output).message) ? usageFromConverse(body) : undefined
}

/** Null if a count is impossible. */
function longWrites(details: JsonValue): number | null {
  let sum = 0
  for (const detail of listOf(details)) {
    const { inputTokens, ttl } = objectOf(detail)
    const count = countOf(inputTokens)
    if (count === null) return null
    if (ttl === '1h') sum += count
  }
  return sum
}

function countOf(value: JsonValue): number | null {
  if (isAbsent(value)) return 0
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
