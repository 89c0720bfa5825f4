/** The table of dimensions (price-dimensions.ts) lists the paths of the counts. */
import type { UsageWire } from './price-dimensions.ts'
import { allDimensions, factsOf, sideOf } from './price.ts'
import { countOf, totalInput, type Usage, type UsageCount } from './usage-counts.ts'

export interface UsageField {
  readonly count: UsageCount
  readonly side: 'input' | 'output' | 'use'
  readonly path: readonly [string, ...string[]]
  /**
   * Whether the wire reports the count separately from the total of its side (input or output). If false, the total
   * includes the count.
   */
  readonly isBeside: boolean
  readonly isOptional: boolean
}

/** In the order of the dimensions. */
export const usageFieldsByWire: Readonly<Record<UsageWire, readonly UsageField[]>> = {
  chat: countsOn('chat'),
  messages: countsOn('messages'),
  responses: countsOn('responses'),
  generate: countsOn('generate'),
}

function countsOn(wire: UsageWire): readonly UsageField[] {
  return allDimensions.flatMap((dimension) => {
    const marked = factsOf(dimension).paths[wire]
    const count = countOf(dimension)
    if (marked === undefined || count === null) return []
    const [first = '', ...rest] = marked.replace(/^\+/, '').replace(/\?$/, '').split('.')
    const side = sideOf(dimension)
    return [
      {
        count,
        side: side === 'text' || side === 'media' ? 'input' : side,
        path: [first, ...rest],
        isBeside: marked.startsWith('+'),
        isOptional: marked.endsWith('?'),
      },
    ]
  })
}

/** The keys are paths such as `prompt_tokens_details.cached_tokens`. */
export function countsByPath(usage: Usage, wire: UsageWire): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const of of usageFieldsByWire[wire]) {
    const value = valueIn(usage, of, wire)
    const path = of.path.join('.')
    if (value > 0 || !of.isOptional) counts[path] = (counts[path] ?? 0) + value
  }
  return counts
}

/**
 * The first count of a side (input or output) is the side's total. Counts with `isBeside` are not part of the total.
 */
export function valueIn(usage: Usage, { count }: UsageField, wire: UsageWire): number {
  if (count !== 'input' && count !== 'output') return usage[count]
  let whole = count === 'input' ? totalInput(usage) : usage.output
  for (const other of usageFieldsByWire[wire]) {
    if (!other.isBeside || other.side !== count) continue
    whole -= usage[other.count]
    // The overlap is part of the cache reads and of the cache writes, but the whole input contains the overlap only
    // once.
    if (other.count === 'cacheRead') whole += usage.cacheOverlap ?? 0
  }
  return whole
}
