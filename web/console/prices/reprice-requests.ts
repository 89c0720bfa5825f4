/**
 * Calculates what past requests would have cost at another price. The units of a request are read from its usage
 * record. A usage record does not distinguish kinds of cache writes and of media. The units are therefore used only if,
 * at the price that was charged, they result in exactly the recorded amount.
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

/** The amount of a request to which the price applies: the charge or the cost. */
export type PriceSide = 'sell' | 'cost'

export interface Repriced {
  /** Number of charged requests. */
  readonly calls: number
  /** Number of requests whose amount at the new price can be computed exactly. */
  readonly told: number
  /** Sum of the recorded amounts of these requests. */
  readonly beforeMicros: bigint
  /** Sum of the amounts of these requests at the new price. */
  readonly afterMicros: bigint
  /** Whether the range has more requests than were read. */
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
 * @param known prices at which the requests may have been charged. If one of these prices results in the recorded
 *   amount, the units of the request are correct
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

/** Returns the usage of a record. Null if the counts of the record are inconsistent. */
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

/** The dimensions that usage records contain. If a column adds up several dimensions, only the first is listed. */
const exported = [
  ...Map.groupBy(
    countedDimensions.filter(({ dimension }) => factsOf(dimension).column !== undefined),
    ({ dimension }) => factsOf(dimension).column,
  ).values(),
].flatMap(([first]) => first ?? [])

/** Returns the amount of the usage at a price. Null if the price has neither an input nor an output rate. */
function amountAt(usage: Usage, price: Price): bigint | null {
  if (price.input === undefined && price.output === undefined) return null
  return costOf(usage, ratedOf(price)).amount
}

/** Converts a price of the API to bigints for the ledger's arithmetic. */
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
