/**
 * Calculates what past requests would have cost at another price. Usage records do not distinguish kinds of cache
 * writes and of media. A record's units are used only if they result in the recorded amount at the charged price.
 */
import { costOf } from '#money/cost.ts'
import { factsOf, type Price as Rated, sideOf } from '#money/price.ts'
import {
  countedDimensions,
  isPlausible,
  type Usage,
  type UsageCount,
  zeroUsage,
} from '#money/usage-counts.ts'
import type { Price, UsageRow } from '#sdk/generated/types.ts'

export type PriceSide = 'sell' | 'cost'

export interface Repriced {
  readonly calls: number
  /** Number of requests whose amount at the new price can be computed exactly. */
  readonly told: number
  readonly beforeMicros: bigint
  readonly afterMicros: bigint
  readonly isCut: boolean
}

export const nothingRepriced: Repriced = {
  calls: 0,
  told: 0,
  beforeMicros: 0n,
  afterMicros: 0n,
  isCut: false,
}

/**
 * Adds a request to the sums.
 * @param known prices at which the requests may have been charged; one of them must result in the recorded amount
 */
export function repriced(
  so: Repriced,
  row: UsageRow,
  next: Price,
  { known, side }: { readonly side: PriceSide; readonly known: readonly Proof[] },
): Repriced {
  const calls = so.calls + 1
  const usage = usageOf(row)
  const noted = BigInt(side === 'sell' ? row.billedMicros : row.costMicros)
  const isProven =
    row.overHoldMicros === '0' &&
    usage !== null &&
    known.some(({ price, side: of }) => {
      const amount = BigInt(of === 'sell' ? row.billedMicros : row.costMicros)
      return amountAt(usage, price) === amount
    })
  const after = isProven ? amountAt(usage, next) : null
  if (after === null) return { ...so, calls }
  return {
    calls,
    told: so.told + 1,
    beforeMicros: so.beforeMicros + noted,
    afterMicros: so.afterMicros + after,
    isCut: so.isCut,
  }
}

export interface Proof {
  readonly side: PriceSide
  readonly price: Price
}

/** Null if the counts of the record are inconsistent. */
function usageOf(row: UsageRow): Usage | null {
  const cells: Readonly<Record<string, unknown>> = { ...row }
  const counts: Partial<Record<UsageCount, number>> = {}
  let input = row.inputTokens
  for (const { count, dimension } of exported) {
    const value = cells[factsOf(dimension).column ?? '']
    if (typeof value !== 'number') return null
    counts[count] = value
    const side = sideOf(dimension)
    if (side === 'text' || side === 'media') input -= value
  }
  const usage = { ...zeroUsage, ...counts, input, output: row.outputTokens }
  return isPlausible(usage) ? usage : null
}

/** If a column of usage records adds up several dimensions, only the first is listed. */
const exported = [
  ...Map.groupBy(
    countedDimensions.filter(({ dimension }) => factsOf(dimension).column !== undefined),
    ({ dimension }) => factsOf(dimension).column,
  ).values(),
].flatMap(([first]) => first ?? [])

/** Null if the price has neither an input nor an output rate. */
function amountAt(usage: Usage, price: Price): bigint | null {
  if (price.input === undefined && price.output === undefined) return null
  return costOf(usage, ratedOf(price)).amount
}

function ratedOf({ serviceTiers, tiers, ...rates }: Price): Rated {
  const bigints = (from: object): object =>
    Object.fromEntries(
      Object.entries(from).map(([name, value]) => [name, typeof value === 'string' ? BigInt(value) : value]),
    )
  return {
    ...bigints(rates),
    ...(tiers && { tiers: tiers.map((tier) => bigints(tier)) }),
    ...(serviceTiers && { serviceTiers: bigints(serviceTiers) }),
  } as Rated
}
