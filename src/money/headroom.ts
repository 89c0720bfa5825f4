/**
 * How much room the limits and the sources leave, and which of them a refusal names. Spending is checked
 * before holds: a call that would not fit with nothing in flight is refused for good, and only one that waits
 * for others is told to wait.
 *
 * Limits count the whole price of a call, whichever source pays. A cap bounds what a key or a run can
 * consume; if pools did not count, a leaked key would empty them under a cap of 0.
 */
import type { Limit, LimitKind, OnDemandSource, PoolSource, Source } from './hold.ts'
import type { Refusal } from './refusal.ts'
import { allocate, available, isCovered, isCredit, payersOfSources, unitOf } from './sources.ts'
import { isHoldable, type Demand } from './worst-case.ts'

/** The order in which limits are named; all of them bind. */
const limitOrder: readonly LimitKind[] = [
  'outcome_run',
  'key_cap',
  'portal_total',
  'bundle_limit',
  'end_user_limit',
]

/** What the tightest limit leaves; may be negative. Null: there is no limit. */
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
 * The refusal of a demand that does not fit, with the numbers of the first limit that it breaks.
 * @param overdue on-demand that a past-due invoice keeps from paying; null: there is none
 */
export function headroomRefusal(
  limits: readonly Limit[],
  sources: readonly Source[],
  demand: Demand,
  overdue: OnDemandSource | null = null,
): Refusal {
  const lasting = firstBroken(limits, (limit) => demand.micros > leftOf({ ...limit, heldMicros: 0n }))
  if (lasting !== null) return limitRefusal(lasting, demand)
  if (!isHoldable(demand) || !wouldPay(sources, demand)) {
    const refusal = sourceRefusal(sources, demand)
    const pool = nearestPool(sources)
    const wouldOverduePay = overdue !== null && isHoldable(demand) && wouldPay([...sources, overdue], demand)
    if (wouldOverduePay) return { ...refusal, limitSource: 'unpaid_invoice', ...(pool && { pool }) }
    return pool === null || refusal.code !== 'insufficient_credit'
      ? refusal
      : poolRefusal(refusal, pool, sources, demand)
  }
  const held = firstBroken(limits, (limit) => demand.micros > leftOf(limit))
  const refusal = held === null ? sourceRefusal(sources, demand) : limitRefusal(held, demand)
  return { ...refusal, code: 'balance_held' }
}

function firstBroken(limits: readonly Limit[], isBroken: (limit: Limit) => boolean): Limit | null {
  for (const kind of limitOrder) {
    const limit = limits.find((each) => each.kind === kind && isBroken(each))
    if (limit !== undefined) return limit
  }
  return null
}

/** Whether the sources could carry it if nothing were in flight. */
function wouldPay(sources: readonly Source[], { credits, micros }: Demand): boolean {
  const free = sources.map((source) => ({ ...source, held: 0n }))
  return isCovered(allocate(micros, credits, payersOfSources(free, credits)))
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
 * The pool of the plan that ends first: the end user waits for it to renew. Of two that end together the larger one,
 * since what was carried over to this period is a pool of its own.
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

/** The same refusal with the numbers of this pool; `available` still is what all sources have. */
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
    pool,
    available: total(sources, demand, 'posted') - total(sources, demand, 'held'),
  }
}

function sourceRefusal(sources: readonly Source[], demand: Demand): Refusal {
  const last = sources.at(-1)
  // On-demand comes last; without a ceiling it refuses nothing for lack of money.
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
  const stopsAtPool = last?.kind === 'pool' && !last.thenOnDemand
  return {
    kind: 'refused',
    code: 'insufficient_credit',
    limitSource: stopsAtPool ? 'pool' : 'balance',
    limit: total(sources, demand, 'posted'),
    used: null,
    held: total(sources, demand, 'held'),
    requested: demand.micros,
    resetsAtMs: stopsAtPool ? last.endsAtMs : null,
  }
}

function total(sources: readonly Source[], demand: Demand, field: 'posted' | 'held'): bigint {
  let sum = 0n
  for (const source of sources) sum += valueOf(source, source[field], demand)
  return sum
}

/** In micros; credits are converted by the ratio of this call's two prices, rounded down. */
function valueOf(source: Source, amount: bigint, { credits, micros }: Demand): bigint {
  if (unitOf(source) === 'micros') return amount
  return credits > 0n ? (amount * micros) / credits : 0n
}
