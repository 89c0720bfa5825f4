/**
 * Decides which sources pay, in which order, and how they share a request.
 *
 * The order is: pools of the plan (the first by fixed rank, then along `spilloverTo`), expiring credit (the soonest to
 * expire first), wallet, on-demand. A request has one price in micros and may have another in credits. Neither is
 * derived from the other. The unpaid rest of a request is the pair (R micros, Q credits) of the same remaining share.
 * Every source takes its part:
 *
 *     micros source    m = min(capacity, R)            R' = R - m    Q' = ceil(Q x R' / R)
 *     credit source    all of it when Q <= capacity, else
 *                      k = capacity, m = floor(R x k / Q)   R' = R - m    Q' = Q - k
 *
 * Both rounding steps leave the larger rest unpaid, and both are monotone. If a request is smaller in both R and Q, its
 * rest of each after any source is not larger. So a settle at or below its hold always fits the hold's legs, for any
 * balances.
 */
import { assertMoney, ceilDiv } from './amount.ts'
import type { Leg, OnDemandSource, PersonState, PoolRank, PoolSource, Quote, Source, Unit } from './hold.ts'
import { matchesAny } from './name-pattern.ts'

export type Funds = Pick<PersonState, 'nowMs' | 'sources'>

/** Returns the amount that this source can still promise, which may be negative. Null means no ceiling. */
export function available(source: Source): bigint | null {
  const balance = source.posted - source.held
  if (source.kind !== 'on_demand') return balance
  if (!source.isEnabled) return 0n
  return source.limitMicros === null ? null : source.limitMicros + balance
}

/**
 * Returns the sources that may pay for this alias now, in spend order, including exhausted sources. The list ends with
 * the last pool of the plan if that pool stops usage beyond it (`thenOnDemand: false`).
 */
export function payingSources(alias: string, quote: Pick<Quote, 'credits'>, funds: Funds): Source[] {
  const sources: Source[] = poolsInOrder(coveringPools(alias, quote.credits !== null, funds))
  const last = sources.at(-1)
  if (last?.kind === 'pool' && !last.thenOnDemand) return sources
  for (const credit of creditsInOrder(funds)) sources.push(credit)
  for (const source of funds.sources) {
    if (source.kind === 'wallet') sources.push(source)
  }
  for (const source of funds.sources) {
    if (source.kind === 'on_demand' && isOnDemandOpen(source, funds.nowMs)) sources.push(source)
  }
  assertMoney(sources.length <= funds.sources.length, 'payingSources: no source pays twice')
  return sources
}

/** Whether on-demand is enabled, belongs to this month and has no past-due invoice. */
function isOnDemandOpen(source: OnDemandSource, nowMs: number): boolean {
  const { closedUntilMs, isEnabled, untilMs } = source
  if (!isEnabled || (untilMs !== null && untilMs <= nowMs)) return false
  return isCurrent(source, onDemandTime(closedUntilMs, nowMs))
}

/**
 * Returns the on-demand month that would pay after these sources if no invoice were past due. Null if no such month
 * exists.
 */
export function overdueOnDemand(paying: readonly Source[], { nowMs, sources }: Funds): OnDemandSource | null {
  const last = paying.at(-1)
  if (last?.kind === 'pool' && !last.thenOnDemand) return null
  for (const source of sources) {
    if (source.kind !== 'on_demand' || isOnDemandOpen(source, nowMs)) continue
    if (isOnDemandOpen({ ...source, untilMs: null }, nowMs)) return source
  }
  return null
}

/** Returns the time by which a request selects its on-demand month. This time is never in a closed month. */
export function onDemandTime(closedUntilMs: number, nowMs: number): number {
  return Math.max(closedUntilMs, nowMs)
}

function coveringPools(alias: string, hasCreditPrice: boolean, { nowMs, sources }: Funds): PoolSource[] {
  const covering: PoolSource[] = []
  for (const source of sources) {
    if (source.kind !== 'pool' || source.isSuspended || isCredit(source)) continue
    if (source.unit === 'credits' && !hasCreditPrice) continue
    if (isCurrent(source, nowMs) && matchesAny(source.models, alias)) covering.push(source)
  }
  return covering
}

/** Prefix of the IDs of expiring credit. No other source's ID starts with it. */
export const creditPrefix = 'credit/'

/** Whether the pool is expiring credit, which belongs to no plan. */
export function isCredit({ id }: PoolSource): boolean {
  return id.startsWith(creditPrefix)
}

function creditsInOrder({ nowMs, sources }: Funds): readonly PoolSource[] {
  let credits: PoolSource[] | null = null
  for (const source of sources) {
    if (source.kind === 'pool' && isCredit(source) && isCurrent(source, nowMs)) (credits ??= []).push(source)
  }
  return credits?.toSorted((one, other) => compareRank(one.rank, other.rank)) ?? []
}

/** Whether a pool or an on-demand month has started and has not ended. */
export function isCurrent(
  source: { readonly startsAtMs: number; readonly endsAtMs: number | null },
  nowMs: number,
): boolean {
  return source.startsAtMs <= nowMs && (source.endsAtMs === null || nowMs < source.endsAtMs)
}

/** Value of `spilloverTo` for a pool that overflows into the next pool by rank. No slug has this form. */
export const nextByRank = '*'

/**
 * Orders the pools: the first by rank, then the pool that it overflows into, and so on. If a pool specifies no overflow
 * pool, or one that was already visited, the next pool by rank follows. The order ends at a pool that overflows into
 * nothing, or into a pool that cannot pay.
 */
function poolsInOrder(pools: PoolSource[]): PoolSource[] {
  if (pools.length < 2) return pools
  const waiting = pools.toSorted((one, other) => compareRank(one.rank, other.rank))
  const ordered: PoolSource[] = []
  for (let next = 0; next >= 0;) {
    const pool = waiting.splice(next, 1)[0]
    if (pool === undefined) break
    ordered.push(pool)
    const { spilloverTo } = pool
    next = waiting.findIndex(({ slug }) => slug === spilloverTo)
    if (spilloverTo === nextByRank || ordered.some(({ slug }) => slug === spilloverTo))
      next = Math.max(0, next)
  }
  return ordered
}

/** An alias that pools may pay for, and whether credit pools may pay for it. */
export interface CoveredAlias {
  readonly alias: string
  readonly hasCreditPrice: boolean
}

/**
 * Returns the pool that pays after this pool, for the first of these aliases that has such a pool. Returns null if no
 * such pool exists. If pools cover different aliases, each alias may have a different next pool.
 */
export function overflowOf(
  pool: PoolSource,
  names: readonly CoveredAlias[],
  funds: Funds,
): PoolSource | null {
  for (const { alias, hasCreditPrice } of names) {
    const ordered = poolsInOrder(coveringPools(alias, hasCreditPrice, funds))
    const at = ordered.indexOf(pool)
    const next = at === -1 ? undefined : ordered[at + 1]
    if (next !== undefined) return next
  }
  return null
}

function compareRank(one: PoolRank, other: PoolRank): number {
  return (
    one.models - other.models ||
    one.endsAtMs - other.endsAtMs ||
    Number(one.isPaid) - Number(other.isPaid) ||
    one.sequence - other.sequence
  )
}

/** A source as a decision sees it, with the maximum that it may give. */
export interface Payer {
  readonly sourceId: string
  readonly kind: Source['kind']
  readonly unit: Unit
  /** Null means no ceiling. A source with 0 or less gives nothing. */
  readonly capacity: bigint | null
}

/**
 * Returns the amounts that these sources can promise to a **new** demand of `credits`. With 0 credits, no credit source
 * pays. An alias that costs money but no credits has an error in its prices, and a pool would pay for it without limit.
 */
export function payersOfSources(sources: readonly Source[], credits: bigint): Payer[] {
  const payers: Payer[] = []
  for (const source of sources) {
    const unit = unitOf(source)
    if (unit === 'credits' && credits === 0n) continue
    payers.push({ sourceId: source.id, kind: source.kind, unit, capacity: available(source) })
  }
  return payers
}

/** Returns the amounts that the legs of a hold were promised. A settle within the hold spends nothing else. */
export function payersOfLegs(legs: readonly Leg[]): Payer[] {
  return legs.map(({ sourceId, kind, unit, amount }) => ({ sourceId, kind, unit, capacity: amount }))
}

export function unitOf(source: Source): Unit {
  return source.kind === 'pool' ? source.unit : 'micros'
}

export interface Allocation {
  readonly legs: readonly Leg[]
  readonly uncoveredMicros: bigint
  readonly uncoveredCredits: bigint
}

/**
 * Splits a price over payers, in their order. `legs[].micros` and `uncoveredMicros` add up to `micros` exactly. A payer
 * that gives nothing has no leg, except for a price of 0:
 *
 * - At 0 credits, a credit payer pays the whole request with 0 credits. For example, a request priced in credits on its
 *   output alone settles this way if it produced no output. `payersOfSources` excludes such requests from new holds.
 * - At 0 micros, any micros payer, even an empty one, ends the request with a leg of 0. A free request needs no money,
 *   and the leg lets the settle end at the same source as the hold.
 */
export function allocate(micros: bigint, credits: bigint, payers: readonly Payer[]): Allocation {
  assertMoney(micros >= 0n, 'allocate: the micros are not negative')
  assertMoney(credits >= 0n, 'allocate: the credits are not negative')
  const legs: Leg[] = []
  let restMicros = micros
  let restCredits = credits
  let coveredMicros = 0n
  for (const { sourceId, kind, unit, capacity } of payers) {
    if (restMicros === 0n && restCredits === 0n) break
    if (unit === 'micros') {
      if (restMicros === 0n) {
        legs.push({ sourceId, kind, unit, amount: 0n, micros: 0n })
        restCredits = 0n
        break
      }
      const amount = capacity === null || capacity >= restMicros ? restMicros : capacity
      if (amount <= 0n) continue
      legs.push({ sourceId, kind, unit, amount, micros: amount })
      const left = restMicros - amount
      restCredits = ceilDiv(restCredits * left, restMicros)
      restMicros = left
      coveredMicros += amount
    } else if (capacity === null || capacity >= restCredits) {
      legs.push({ sourceId, kind, unit, amount: restCredits, micros: restMicros })
      coveredMicros += restMicros
      restMicros = 0n
      restCredits = 0n
    } else if (capacity > 0n) {
      const share = (restMicros * capacity) / restCredits
      legs.push({ sourceId, kind, unit, amount: capacity, micros: share })
      restMicros -= share
      restCredits -= capacity
      coveredMicros += share
    }
  }
  assertMoney(coveredMicros + restMicros === micros, 'allocate: no micro is lost or made')
  assertMoney(restMicros >= 0n && restCredits >= 0n, 'allocate: no more is paid than is due')
  return { legs, uncoveredMicros: restMicros, uncoveredCredits: restCredits }
}

export function isCovered(allocation: Allocation): boolean {
  return allocation.uncoveredMicros === 0n && allocation.uncoveredCredits === 0n
}
