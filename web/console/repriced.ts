/**
 * Calculates what past requests would have cost at another price. The units of a request are read from its usage
 * record. A record does not distinguish kinds of cache writes and of media. The units are therefore used only if the
 * price that the request was charged at gives exactly the recorded amount.
 */
import { costOf } from '#money/cost.ts'
import type { Price as Rated } from '#money/price.ts'
import { zeroUsage, type Usage } from '#money/usage.ts'
import type { Price, UsageRow } from '#sdk/generated/types.ts'

/** The amount of a request that the price applies to. */
export type PriceSide = 'sell' | 'cost'

export interface Repriced {
  /** Number of charged requests. */
  readonly calls: number
  /** Number of requests whose amount the new price gives exactly. */
  readonly told: number
  /** Amounts of those requests at the recorded and at the new price. */
  readonly beforeMicros: bigint
  readonly afterMicros: bigint
  /** Whether there were more requests than were read. */
  readonly isCut: boolean
}

export const nothingRepriced: Repriced = {
  calls: 0,
  told: 0,
  beforeMicros: 0n,
  afterMicros: 0n,
  isCut: false,
}

/** @param known prices that the requests may have been charged at, any of which confirms the units of a request */
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

/** Returns the usage of a record. Null if its counts are inconsistent. */
function usageOf(row: UsageRow): Usage | null {
  const input = row.inputTokens - row.cachedInputTokens - row.cacheWriteTokens
  if (input < 0 || row.reasoningTokens > row.outputTokens) return null
  return {
    ...zeroUsage,
    input,
    cacheRead: row.cachedInputTokens,
    cacheWrite: row.cacheWriteTokens,
    output: row.outputTokens,
    reasoning: row.reasoningTokens,
    webSearches: row.webSearches,
  }
}

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
