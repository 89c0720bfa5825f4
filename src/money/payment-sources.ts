/**
 * Sources pay in this order: pools of the plan, pools that the team's payer shares, expiring credit, the payer's
 * wallet, wallet, on-demand. The pool with the lowest fixed rank pays first, and the other pools follow along
 * `spilloverTo`. Expiring credit pays in the order in which it expires. A request has a price in micros and may also
 * have an independent price in credits. For the part of a request that is not paid yet, R is the price in micros and Q
 * is the price in credits. Each source takes a part of R and Q:
 *
 *     micros source    m = min(capacity, R)            R' = R - m    Q' = ceil(Q x R' / R)
 *     credit source    all of it when Q <= capacity, else
 *                      k = capacity, m = floor(R x k / Q)   R' = R - m    Q' = Q - k
 *
 * Each step rounds the unpaid amounts R' and Q' up, and is monotone: smaller R and Q never give a larger R' or Q'. For
 * a charge within the hold, the unpaid amounts after each source are therefore at most those of the hold. The legs of a
 * hold can thus pay every such charge, whatever the balances are.
 */
import { assertMoney, ceilDiv, maxOf, minOf } from './amount.ts'
import type {
  Leg,
  OnDemandSource,
  PersonState,
  PoolRank,
  PoolSource,
  Quote,
  Source,
  TeamPoolSource,
  TeamSource,
  Unit,
} from './decision-types.ts'
import { matchesAny } from './model-name-pattern.ts'

export type Funds = Pick<PersonState, 'nowMs' | 'sources'>

export const walletId = 'wallet'

/** The result may be negative. Null means no ceiling. */
export function available(source: Source): bigint | null {
  const balance = source.posted - source.held
  if (isShare(source)) return leftOfShare(source)
  if (source.kind !== 'on_demand') return balance
  if (!source.isEnabled) return 0n
  return source.limitMicros === null ? null : source.limitMicros + balance
}

export function isShare(source: Source): source is TeamSource | TeamPoolSource {
  return source.kind === 'team' || source.kind === 'team_pool'
}

/** Null means no maximum. */
function capOf(share: TeamSource | TeamPoolSource): bigint | null {
  if (share.kind === 'team') return share.capMicros
  return share.pool === null ? 0n : share.pool.memberCap
}

/** The payer's balance and the member's cap both limit the result. */
function leftOfShare(share: TeamSource | TeamPoolSource): bigint {
  const whole = share.kind === 'team' ? share.wallet : (share.pool ?? nothing)
  const left = whole.posted - whole.held
  const cap = capOf(share)
  return cap === null ? left : minOf(left, cap + share.posted - share.held)
}

const nothing = { posted: 0n, held: 0n }

/**
 * Returns the sources that may pay for this alias now, in spend order, including exhausted sources. If the last pool of
 * the plan or of the payer excludes all other sources (`thenOnDemand: false`), the list ends with this pool.
 */
export function payingSources(alias: string, quote: Pick<Quote, 'credits'>, funds: Funds): Source[] {
  const sources: Source[] = poolsInOrder(coveringPools(alias, quote.credits !== null, funds))
  if (endsAtPool(sources)) return sources
  for (const share of sharedPoolsInOrder(alias, funds)) sources.push(share)
  if (endsAtPool(sources)) return sources
  for (const credit of creditsInOrder(funds)) sources.push(credit)
  for (const source of funds.sources) {
    if (source.kind === 'team' && source.isOpen && isCurrent(source, funds.nowMs)) sources.push(source)
  }
  for (const source of funds.sources) {
    if (source.kind === 'wallet') sources.push(source)
  }
  for (const source of funds.sources) {
    if (source.kind === 'on_demand' && isOnDemandOpen(source, funds.nowMs)) sources.push(source)
  }
  assertMoney(sources.length <= funds.sources.length, 'payingSources: no source pays twice')
  return sources
}

export function endsAtPool(sources: readonly Source[]): boolean {
  const pool = planPoolIn(sources.at(-1))
  return pool !== null && !pool.thenOnDemand
}

/** Null unless the source is a pool or a share in a pool. */
export function planPoolIn(source: Source | undefined): PoolSource | null {
  if (source?.kind === 'team_pool') return source.pool
  return source?.kind === 'pool' ? source : null
}

function isOnDemandOpen(source: OnDemandSource, nowMs: number): boolean {
  const { closedUntilMs, isEnabled, untilMs } = source
  if (!isEnabled || (untilMs !== null && untilMs <= nowMs)) return false
  return isCurrent(source, onDemandTime(closedUntilMs, nowMs))
}

/**
 * Returns the on-demand source that only a past-due invoice prevents from paying after these sources. Null if there is
 * no such source.
 */
export function overdueOnDemand(paying: readonly Source[], { nowMs, sources }: Funds): OnDemandSource | null {
  if (endsAtPool(paying)) return null
  for (const source of sources) {
    if (source.kind !== 'on_demand' || isOnDemandOpen(source, nowMs)) continue
    if (isOnDemandOpen({ ...source, untilMs: null }, nowMs)) return source
  }
  return null
}

/** The on-demand month of a request is never a closed month. */
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

/** Uses the order in which the payer's own requests use these pools. */
function sharedPoolsInOrder(alias: string, { nowMs, sources }: Funds): readonly TeamPoolSource[] {
  const shares: TeamPoolSource[] = []
  const pools: PoolSource[] = []
  for (const source of sources) {
    if (source.kind !== 'team_pool' || !source.isOpen || source.pool === null) continue
    shares.push(source)
    pools.push(source.pool)
  }
  if (shares.length === 0) return shares
  const ordered = poolsInOrder(coveringPools(alias, false, { nowMs, sources: pools }))
  return ordered.flatMap((pool) => shares.filter((share) => share.pool === pool))
}

/** Prefix of the IDs of expiring credit. No other source's ID starts with this prefix. */
export const creditPrefix = 'credit/'

export function isCredit({ id }: PoolSource): boolean {
  return id.startsWith(creditPrefix)
}

/** Prefix of the IDs of shares in a payer's wallet and pools. No other source's ID starts with this prefix. */
export const teamPrefix = 'team/'

export function teamSourceId(payerId: string, monthStartsAtMs: number): string {
  return `${teamPrefix}${payerId}/${new Date(monthStartsAtMs).toISOString().slice(0, 7)}`
}

export function teamPoolSourceId(payerId: string, poolId: string): string {
  return `${teamPrefix}${payerId}/${poolId}`
}

/** Null unless the source is a share in a payer's wallet or pool. */
export function payerOf(sourceId: string): string | null {
  if (!sourceId.startsWith(teamPrefix)) return null
  return sourceId.slice(teamPrefix.length, sourceId.indexOf('/', teamPrefix.length))
}

/** A share in a wallet ends with a month, which contains no slash, unlike the ID of a pool. */
export function sharedSourceId(shareId: string): string {
  const id = shareId.slice(shareId.indexOf('/', teamPrefix.length) + 1)
  return id.includes('/') ? id : walletId
}

/** The balance of a share is the amount that the member could spend, which is never negative. */
export function balanceOf(source: Source): Pick<Source, 'posted' | 'held'> {
  if (!isShare(source)) return source
  const posted = maxOf(0n, leftOfShare(withoutHolds(source)))
  return { posted, held: posted - maxOf(0n, leftOfShare(source)) }
}

export function withoutHolds<S extends Source>(source: S): S {
  if (source.kind === 'team') return { ...source, held: 0n, wallet: { ...source.wallet, held: 0n } }
  if (source.kind === 'team_pool')
    return { ...source, held: 0n, pool: source.pool && { ...source.pool, held: 0n } }
  return { ...source, held: 0n }
}

function creditsInOrder({ nowMs, sources }: Funds): readonly PoolSource[] {
  let credits: PoolSource[] | null = null
  for (const source of sources) {
    if (source.kind === 'pool' && isCredit(source) && isCurrent(source, nowMs)) (credits ??= []).push(source)
  }
  return credits?.toSorted((one, other) => compareRank(one.rank, other.rank)) ?? []
}

export function isCurrent(
  source: { readonly startsAtMs: number; readonly endsAtMs: number | null },
  nowMs: number,
): boolean {
  return source.startsAtMs <= nowMs && (source.endsAtMs === null || nowMs < source.endsAtMs)
}

/** Value of `spilloverTo` for a pool that overflows into the next pool by rank. `*` is not a valid slug. */
export const nextByRank = '*'

/**
 * Orders the pools: first the pool with the lowest rank, then the pool into which it overflows, and so on. If
 * `spilloverTo` is `nextByRank`, or names a pool that is already in the list, the next pool by rank follows. The list
 * ends at a pool whose `spilloverTo` is null or names a pool that cannot pay.
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

export interface CoveredAlias {
  readonly alias: string
  readonly hasCreditPrice: boolean
}

/**
 * Returns the pool that pays after this pool. If pools cover different aliases, the next pool may depend on the alias.
 * The first of the aliases that has a next pool determines the result. Null if there is no next pool.
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

export interface Payer {
  readonly sourceId: string
  readonly kind: Source['kind']
  readonly unit: Unit
  /** Null means no ceiling. A source with a capacity of 0 or less pays nothing. */
  readonly capacity: bigint | null
}

/**
 * For a **new** request with a price of 0 credits, no credit pool pays. Without this rule, a pool would pay without
 * limit for an alias whose credit price is 0 by mistake.
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

/** Each payer can pay up to the amount of its leg. A charge within the hold uses only these payers. */
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
 * Splits a price over payers, in their order. `legs[].micros` and `uncoveredMicros` add up exactly to `micros`. A payer
 * that pays nothing has no leg, with two exceptions:
 *
 * - If the price is 0 credits, a credit pool pays the whole request with 0 credits. For example, a request without
 *   output has a price of 0 credits if its credit price depends only on output. A new hold never has such a leg,
 *   because `payersOfSources` excludes credit pools if the price is 0 credits.
 * - If the unpaid part costs only credits, the next source in micros gets a leg of 0, even if this source is empty. The
 *   unpaid part then needs no credits, and the charge refers to the same source as the hold.
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
