/** The counts have the paths of money/price-dimensions.ts. */
import type { UsageWire } from '#money/price-dimensions.ts'
import type { TokenDimension } from '#money/price.ts'
import type { Usage } from '#money/usage-counts.ts'
import { valueIn, type UsageField, usageFieldsByWire } from '#money/usage-fields-by-wire.ts'
import { objectOf, type JsonObject, type JsonValue } from './text/json-values.ts'

export type PartCount = Exclude<TokenDimension, 'input' | 'output'>
export type PartCounts = { [count in PartCount]?: number }

export interface WirePart extends UsageField {
  readonly count: PartCount
}

/**
 * Returns the parts that a wire reports, such as cached tokens. If several dimensions have the same path, only the
 * first one is included.
 */
export function partsOn(wire: UsageWire): readonly WirePart[] {
  const seen = new Set<string>()
  return usageFieldsByWire[wire].filter((of): of is WirePart => {
    const path = of.path.join('.')
    const isFirst = !seen.has(path)
    seen.add(path)
    return isFirst && of.side !== 'use' && of.count !== 'input' && of.count !== 'output'
  })
}

function valueAt(raw: JsonValue, path: readonly string[]): JsonValue {
  let value = raw
  for (const name of path) value = objectOf(value)[name]
  return value
}

/**
 * Adds the parts of a usage object to `counts`.
 * @param countOf returns null for an invalid count
 * @returns false if a count is invalid
 */
export function readParts(
  counts: PartCounts,
  raw: JsonValue,
  parts: readonly WirePart[],
  countOf: (value: JsonValue) => number | null,
): boolean {
  for (const { count, path } of parts) {
    const value = countOf(valueAt(raw, path))
    if (value === null) return false
    counts[count] = value
  }
  return true
}

type Written = Record<string, JsonValue>

/** @param base the members in their order: the totals, and a 0 for each count that the wire always has */
export function withCounts(base: JsonObject, usage: Usage, wire: UsageWire): JsonObject {
  const written: Written = { ...base }
  for (const of of usageFieldsByWire[wire]) {
    const value = valueIn(usage, of, wire)
    if (value === 0 && of.isOptional) continue
    let within = written
    for (const name of of.path.slice(0, -1)) within = within[name] = { ...objectOf(within[name]) }
    const last = of.path.at(-1) ?? ''
    const before = within[last]
    within[last] = (typeof before === 'number' ? before : 0) + value
  }
  return written
}
