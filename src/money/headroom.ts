/**
 * The refusal has the reason `balance_held` only if the request would fit without the other requests in flight.
 *
 * Limits count the full price of a request, even if pools pay, because a leaked key with a cap of 0 could otherwise
 * empty the pools.
 */
import {
  limitKinds,
  type Limit,
  type OnDemandSource,
  type PoolSource,
  type Source,
  type TeamSource,
} from './decision-types.ts'
import type { Refusal } from './refusal-types.ts'
import {
  allocate,
  available,
  balanceOf,
  endsAtPool,
  isCovered,
  isCredit,
  payersOfSources,
  planPoolIn,
  unitOf,
  withoutHolds,
} from './payment-sources.ts'
import { isHoldable, type Demand } from './worst-case.ts'

/** The remaining amount may be negative. Null means no limit. */
export function headroomOf(limits: readonly Limit[]): bigint | null {
  let room: bigint | null = null
  for (const limit of limits) {
    const left = leftOf(limit)
    if (room === null || left < room) room = left
  }
  return room
}

function leftOf({ limitMicros, spentMicros, heldMicros }: Limit): bigint {
  return limitMicros - spentMicros - heldMicros
}

/**
 * @param overdue the on-demand source that a past-due invoice blocks; null if no invoice is past due
 * @param byRate the refusal by the rate limits; null if they allow the request. The function returns this refusal if
 *   the request would fit without the holds of requests in flight
 */
export function headroomRefusal(
  limits: readonly Limit[],
  sources: readonly Source[],
  demand: Demand,
  overdue: OnDemandSource | null = null,
  byRate: Refusal | null = null,
): Refusal {
  const lasting = firstBroken(limits, (limit) => demand.micros > leftOf({ ...limit, heldMicros: 0n }))
  if (lasting !== null) return limitRefusal(lasting, demand)
  if (!isHoldable(demand) || !wouldPay(sources, demand)) {
    const refusal = sourceRefusal(sources, demand)
    const pool = nearestPool(sources)
    const wouldOverduePay = overdue !== null && isHoldable(demand) && wouldPay([...sources, overdue], demand)
    if (wouldOverduePay)
      return { ...refusal, limitSource: 'unpaid_invoice', ...(pool && poolFacts(pool, demand)) }
    if (refusal.code !== 'insufficient_credit') return refusal
    if (pool !== null) return poolRefusal(refusal, pool, sources, demand)
    const share = decidingShare(sources, demand)
    return share === null ? refusal : { ...refusal, ...capFacts(share) }
  }
  if (byRate !== null) return byRate
  const held = firstBroken(limits, (limit) => demand.micros > leftOf(limit))
  const refusal = held === null ? sourceRefusal(sources, demand) : limitRefusal(held, demand)
  return { ...refusal, code: 'balance_held' }
}

function firstBroken(limits: readonly Limit[], isBroken: (limit: Limit) => boolean): Limit | null {
  for (const kind of limitKinds) {
    const limit = limits.find((each) => each.kind === kind && isBroken(each))
    if (limit !== undefined) return limit
  }
  return null
}

function wouldPay(sources: readonly Source[], { credits, micros }: Demand): boolean {
  const free = sources.map(withoutHolds)
  return isCovered(allocate(micros, credits, payersOfSources(free, credits)))
}

interface CappedShare extends TeamSource {
  readonly capMicros: bigint
}

/** Returns the share of a team member whose cap is the only reason why the payer's wallet does not pay. */
function decidingShare(sources: readonly Source[], demand: Demand): CappedShare | null {
  const share = sources.find(isCapped)
  if (share === undefined || !isHoldable(demand)) return null
  const uncapped = sources.map((source) => (source === share ? { ...share, capMicros: null } : source))
  return wouldPay(uncapped, demand) ? share : null
}

function isCapped(source: Source): source is CappedShare {
  return source.kind === 'team' && source.capMicros !== null
}

function capFacts({ capMicros, posted, held, endsAtMs }: CappedShare) {
  return {
    code: 'spend_limit_exceeded',
    limitSource: 'member_cap',
    limit: capMicros,
    used: -posted,
    held,
    resetsAtMs: endsAtMs,
  } as const
}

function limitRefusal(limit: Limit, demand: Demand): Refusal {
  const { kind, limitMicros, spentMicros, heldMicros, resetsAtMs } = limit
  return {
    kind: 'refused',
    code: kind === 'outcome_run' ? 'outcome_capped' : 'spend_limit_exceeded',
    limitSource: kind,
    limit: limitMicros,
    used: spentMicros,
    held: heldMicros,
    requested: demand.micros,
    resetsAtMs,
  }
}

/**
 * Returns the plan's pool that ends first, because the end user can spend again when this pool renews. If two pools end
 * at the same time, returns the larger one, because carried-over credit is a separate, smaller pool.
 */
function nearestPool(sources: readonly Source[]): PoolSource | null {
  let nearest: PoolSource | null = null
  for (const source of sources) {
    if (source.kind !== 'pool' || isCredit(source)) continue
    if (nearest === null || isNearer(source, nearest)) nearest = source
  }
  return nearest
}

function isNearer(one: PoolSource, other: PoolSource): boolean {
  const [end, otherEnd] = [one.endsAtMs ?? Infinity, other.endsAtMs ?? Infinity]
  return end < otherEnd || (end === otherEnd && one.granted > other.granted)
}

/** `available` is the amount of all sources together, and not only of the pool. */
function poolRefusal(
  refusal: Refusal,
  pool: PoolSource,
  sources: readonly Source[],
  demand: Demand,
): Refusal {
  const granted = pool.granted - pool.withheld - pool.expired
  const limit = valueOf(pool, granted, demand)
  return {
    ...refusal,
    limitSource: 'pool',
    limit,
    used: limit - valueOf(pool, pool.posted, demand),
    held: valueOf(pool, pool.held, demand),
    resetsAtMs: pool.endsAtMs,
    ...poolFacts(pool, demand),
    available: total(sources, demand, 'posted') - total(sources, demand, 'held'),
  }
}

function poolFacts(pool: PoolSource, { credits }: Demand): Pick<Refusal, 'pool' | 'requestedCredits'> {
  return unitOf(pool) === 'micros' ? { pool } : { pool, requestedCredits: credits }
}

function sourceRefusal(sources: readonly Source[], demand: Demand): Refusal {
  const last = sources.at(-1)
  // If the end user has on-demand billing, on-demand billing is the last source that pays. Without a ceiling, on-demand
  // billing can pay any amount.
  if (last?.kind === 'on_demand' && available(last) !== null) {
    return {
      kind: 'refused',
      code: 'spend_limit_exceeded',
      limitSource: 'on_demand_ceiling',
      limit: last.limitMicros,
      used: -last.posted,
      held: last.held,
      requested: demand.micros,
      resetsAtMs: last.endsAtMs,
    }
  }
  const stopsAtPool = endsAtPool(sources)
  return {
    kind: 'refused',
    code: 'insufficient_credit',
    limitSource: stopsAtPool ? 'pool' : 'balance',
    limit: total(sources, demand, 'posted'),
    used: null,
    held: total(sources, demand, 'held'),
    requested: demand.micros,
    resetsAtMs: stopsAtPool ? (planPoolIn(last)?.endsAtMs ?? null) : null,
  }
}

function total(sources: readonly Source[], demand: Demand, field: 'posted' | 'held'): bigint {
  let sum = 0n
  for (const source of sources) sum += valueOf(source, balanceOf(source)[field], demand)
  return sum
}

/** Credits are converted by the ratio of the request's two prices, rounded down. */
function valueOf(source: Source, amount: bigint, { credits, micros }: Demand): bigint {
  if (unitOf(source) === 'micros') return amount
  return credits > 0n ? (amount * micros) / credits : 0n
}
