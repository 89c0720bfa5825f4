import { type DimensionOn, dimensionsOn } from '#money/price.ts'
import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import {
  isAbsent,
  isObject,
  objectOf,
  textOrNull,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import { partsOn, readParts, withCounts } from '#wire/read-and-write-usage-counts.ts'

/**
 * Converts messages `usage` to the normal form (docs/reference/wires.md "Usage on the messages wire",
 * docs/reference/conversions.md "Usage in a common form"). `input_tokens` excludes cache reads and writes.
 * `output_tokens` includes thinking.
 *
 * The top level includes all runs in `iterations` except compactions, which are also billed. Each count is
 * therefore the larger of the top level's count and the sum over the iterations. If a fallback model responded, only
 * the top level counts, which reports only that model's answer.
 * @param raw the usage of a non-streaming response, or of a stream merged by `mergedUsage`
 * @returns null if the usage is absent, or if a count is impossible (negative, a fraction, a string, too large). Then
 * the gateway counts the tokens itself.
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
  const { output } = counts
  if (!isCount(searches)) return null
  const lacks = lackingOf(raw, counts)
  if (lacks === 'both') return null
  const told = objectOf(raw.output_tokens_details).thinking_tokens
  const thinking = isCount(told) ? told : 0
  const { written, ...units } = counts
  const usage: Usage = {
    ...zeroUsage,
    ...units,
    ...splitOfWrites(written, units),
    // If the thinking tokens exceed the output tokens, the output cannot include the thinking.
    output: thinking > output ? output + thinking : output,
    reasoning: thinking,
    webSearches: searches,
    serviceTier: tierOf(raw),
    ...(lacks !== null && { lacks }),
  }
  return isPlausible(usage) ? usage : null
}

/**
 * A later value of a field replaces an earlier value, and is never added to the earlier value. Null and absent fields
 * change nothing (docs/reference/wires.md "Usage on the messages wire"). Only the first report has the split of cache
 * writes, the tier and the speed.
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

/**
 * Fast answers cost several times as much, regardless of the tier. A region other than `global` costs more than the
 * default tier, so the region counts as a tier. A workspace can have a region as its default, so the region also appears
 * if no request contains it.
 */
function tierOf({ inference_geo: region, service_tier: tier, speed }: JsonObject): string | null {
  if (speed === 'fast') return 'fast'
  const isRegional = typeof region === 'string' && !plainRegions.has(region)
  return isRegional && (isAbsent(tier) || tier === 'standard') ? region : textOrNull(tier)
}

const plainRegions: ReadonlySet<string> = new Set(['', 'global', 'not_available'])

/** All fields are written, because clients read the fields without checking that they exist. */
export function usageToMessages(usage: Usage): JsonObject {
  return withCounts(
    {
      input_tokens: 0,
      cache_creation_input_tokens: usage.cacheWrite + usage.cacheWriteLong,
      cache_read_input_tokens: 0,
      cache_creation: {},
    },
    usage,
    'messages',
  )
}

/** `written` is the number of all cache writes, including writes whose lifetime the report does not state. */
type Counts = Record<Counted, number>
type Counted = DimensionOn<'text' | 'media'> | 'output' | 'written'

const counted: readonly Counted[] = [...dimensionsOn('text', 'media'), 'output', 'written']
const parts = partsOn('messages').filter(({ side }) => side === 'input')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each count
const zeroCounts = Object.fromEntries(counted.map((name) => [name, 0])) as Counts

function lackingOf(raw: JsonObject, { input, output }: Counts): 'input' | 'output' | 'both' | null {
  const isInputMissing = isAbsent(raw.input_tokens) && input === 0
  const isOutputMissing = isAbsent(raw.output_tokens) && output === 0
  if (isInputMissing && isOutputMissing) return 'both'
  return isInputMissing ? 'input' : isOutputMissing ? 'output' : null
}

function countsOf(raw: JsonObject): Counts | null {
  const input = countOf(raw.input_tokens)
  const output = countOf(raw.output_tokens)
  const written = countOf(raw.cache_creation_input_tokens)
  if (input === null || output === null || written === null) return null
  const counts: Counts = { ...zeroCounts, input, output }
  if (!readParts(counts, raw, parts, countOf)) return null
  counts.written = Math.max(written, counts.cacheWrite + counts.cacheWriteLong)
  return counts
}

/**
 * Only the first report of a stream states lifetimes, but tools of the provider cause further cache writes. These writes
 * have the lifetime of the first report's cache writes. If that report has both lifetimes, the writes count as long,
 * because long cache writes are more expensive.
 */
function splitOfWrites(
  written: number,
  { cacheWrite, cacheWriteLong }: Pick<Usage, 'cacheWrite' | 'cacheWriteLong'>,
): Pick<Usage, 'cacheWrite' | 'cacheWriteLong' | 'isAmbiguous'> {
  const unstated = written - cacheWrite - cacheWriteLong
  if (unstated <= 0 || cacheWriteLong === 0) return { cacheWrite: written - cacheWriteLong, cacheWriteLong }
  const split = { cacheWrite, cacheWriteLong: written - cacheWrite }
  return cacheWrite === 0 ? split : { ...split, isAmbiguous: true }
}

const nothing: JsonObject = { input_tokens: 0, output_tokens: 0 }

function sumOf(iterations: readonly JsonValue[]): Counts | null {
  let sum = zeroCounts
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
  const joined = { ...one }
  for (const name of counted) joined[name] = join(one[name], other[name])
  return joined
}

function countOf(value: JsonValue): number | null {
  return isAbsent(value) ? 0 : isCount(value) ? value : null
}

function isCount(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
