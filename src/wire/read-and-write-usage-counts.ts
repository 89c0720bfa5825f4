/** Reads and writes the counts of a wire's usage object by their paths (money/price-dimensions.ts). */
import type { UsageWire } from '#money/price-dimensions.ts'
import type { TokenDimension } from '#money/price.ts'
import type { Usage } from '#money/usage-counts.ts'
import { valueIn, type UsageField, usageFieldsByWire } from '#money/usage-fields-by-wire.ts'
import { objectOf, type JsonObject, type JsonValue } from './text/json-values.ts'

/** A count that is either a part of the total input or output, or additional to the total. */
export type PartCount = Exclude<TokenDimension, 'input' | 'output'>
export type PartCounts = { [count in PartCount]?: number }

export interface WirePart extends UsageField {
  readonly count: PartCount
}

/**
 * Returns the parts of the input and the output that a wire reports, such as cached tokens. If several dimensions have
 * the same path, only the first dimension is included.
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

/** Returns the value at a path. Undefined if the value is absent. */
function valueAt(raw: JsonValue, path: readonly string[]): JsonValue {
  let value = raw
  for (const name of path) value = objectOf(value)[name]
  return value
}

/**
 * Reads the parts of a usage object into `counts`.
 * @param countOf returns null for a value that is not a valid count
 * @returns false if a value is not a valid count
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

/**
 * Adds the counts of a usage to a usage object.
 * @param base the members of the result in their order: the totals, and a 0 for each count that the wire always has
 */
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
