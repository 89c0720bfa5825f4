/**
 * Which sources pay, in which order, and how they share a call.
 *
 * Order: pools of the plan (the first by frozen rank, then along `spilloverTo`) -> credit that ends, the soonest
 * first -> wallet -> on-demand. A call has one
 * price in micros and may have another in credits; neither is derived from the other. The rest of a call is
 * the pair (R micros, Q credits) of the same remaining share, and every source takes its part:
 *
 *     micros source    m = min(capacity, R)            R' = R - m    Q' = ceil(Q x R' / R)
 *     credit source    all of it when Q <= capacity, else
 *                      k = capacity, m = floor(R x k / Q)   R' = R - m    Q' = Q - k
 *
 * Both rounding steps leave the caller the larger rest, and both are monotone: a call smaller in R and in Q
 * leaves no more of either after any source. So a settle at or below its hold always fits the hold's legs,
 * whatever the balances are.
 */
import { assertMoney, ceilDiv } from './amount.ts'
import type { Leg, OnDemandSource, PersonState, PoolRank, PoolSource, Quote, Source, Unit } from './hold.ts'
import { matchesAny } from './name-pattern.ts'

export type Funds = Pick<PersonState, 'nowMs' | 'sources'>

/** What this source can still promise; may be negative. Null: there is no ceiling. */
export function available(source: Source): bigint | null {
  const balance = source.posted - source.held
  if (source.kind !== 'on_demand') return balance
  if (!source.isEnabled) return 0n
  return source.limitMicros === null ? null : source.limitMicros + balance
}

/**
 * The sources that may pay for this alias now, in spend order, spent ones included. The list ends with the
 * last pool of the plan when that pool stops usage past it (`thenOnDemand: false`).
 */
export function payingSources(alias: string, quote: Quote, funds: Funds): Source[] {
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

/** Turned on, of this month, and no invoice is past due. */
function isOnDemandOpen(source: OnDemandSource, nowMs: number): boolean {
  const { closedUntilMs, isEnabled, untilMs } = source
  if (!isEnabled || (untilMs !== null && untilMs <= nowMs)) return false
  return isCurrent(source, onDemandTime(closedUntilMs, nowMs))
}

/** The month of on-demand that would pay after these sources if no invoice were past due; null: there is none. */
export function overdueOnDemand(paying: readonly Source[], { nowMs, sources }: Funds): OnDemandSource | null {
  const last = paying.at(-1)
  if (last?.kind === 'pool' && !last.thenOnDemand) return null
  for (const source of sources) {
    if (source.kind !== 'on_demand' || isOnDemandOpen(source, nowMs)) continue
    if (isOnDemandOpen({ ...source, untilMs: null }, nowMs)) return source
  }
  return null
}

/** The time by which a call finds its month of on-demand: never in a month that is closed. */
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

/** Ids of credit that ends begin so, and no other source's id does. */
export const creditPrefix = 'credit/'

/** Whether it is credit that ends, which no plan owns. */
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

/** Whether a pool or a month of on-demand has started and is not over. */
export function isCurrent(
  source: { readonly startsAtMs: number; readonly endsAtMs: number | null },
  nowMs: number,
): boolean {
  return source.startsAtMs <= nowMs && (source.endsAtMs === null || nowMs < source.endsAtMs)
}

/** `spilloverTo` of a pool that overflows into the next one by rank. No slug looks like it. */
export const nextByRank = '*'

/**
 * The first by rank, then the one that it overflows into, and so on. By rank where it names none, or one
 * that was asked before; the line ends where it overflows into nothing, or names one that cannot pay.
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

/** An alias that pools may pay for, and whether credit pools may. */
export interface CoveredAlias {
  readonly alias: string
  readonly hasCreditPrice: boolean
}

/**
 * The pool that pays after this one, for the first of these aliases that has one; null: none. Where pools
 * cover different aliases, another alias may have another next pool.
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

/** A source as a decision sees it: how much it may give at most. */
export interface Payer {
  readonly sourceId: string
  readonly kind: Source['kind']
  readonly unit: Unit
  /** Null: no ceiling. 0 or less gives nothing. */
  readonly capacity: bigint | null
}

/**
 * What these sources can promise to a **new** demand of `credits`. With 0 credits no credit source pays: an alias
 * that costs money and no credits has a mistake in its prices, and a pool that paid for it would pay for ever.
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

/** What the legs of a hold were promised: all that a settle within the hold spends. */
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
 * Splits a price over payers, in their order. `legs[].micros` and `uncoveredMicros` add up to `micros`
 * exactly. A payer that gives nothing has no leg, except for a price of 0:
 *
 * At 0 credits a credit payer takes the whole call for 0: a call priced in credits on its output alone
 * settles so when no output came (`payersOfSources` keeps such calls from new holds). At 0 micros any micros
 * payer, even an empty one, ends the call with a leg of 0: a free call needs no money, and the leg lets the
 * settle end where the hold did.
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
