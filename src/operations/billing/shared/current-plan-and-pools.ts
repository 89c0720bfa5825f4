import { ceilDiv } from '#money/amount.ts'
import type { PoolSource } from '#money/decision-types.ts'
import { onDemandPartOf } from '#money/invoice.ts'
import { includeOf, type OwnedPool, type PoolChanges, poolChanges, poolsAfter } from '#money/plan-pools.ts'
import { isCurrent } from '#money/payment-sources.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import { bundleIdIn, planAt, type StoredSubscription } from '#domain/billing/subscription-records.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'

export type PlanReads = Pick<InApplication, 'application' | 'mode' | 'nowMs' | 'store'>

/** Null without a bundle, after the plan has ended, or if the bundle was deleted. */
export async function planOf(endUser: EndUser, context: PlanReads): Promise<BundleRecord | null> {
  const { application, mode, store } = context
  const stored = await store.subscriptions.of(endUser.id, mode)
  const id = planAt(bundleIdIn(endUser, stored), stored ?? { planEndsAtMs: null }, modeTime(context))
  return id === null ? null : store.bundles.byId(application.id, id)
}

/** The time at which the oldest unpaid invoice became past due, which blocks on-demand billing. */
export function blockedSince(stored: StoredSubscription | null, nowMs: number): number | null {
  const untilMs = stored?.onDemandUntilMs ?? null
  return untilMs !== null && untilMs <= nowMs ? untilMs : null
}

/** The on-demand usage of past months that is not paid yet, whether invoiced or not. */
export async function onDemandOwed(
  endUserId: string,
  stored: StoredSubscription | null,
  nowMs: number,
  { mode, store }: PlanReads,
): Promise<bigint> {
  const closedUntilMs = stored?.onDemandClosedUntilMs ?? 0
  let owed = 0n
  for (const { amountMicros, endsAtMs } of await store.onDemandMonths.unclosed(
    endUserId,
    mode,
    closedUntilMs,
  )) {
    if (endsAtMs <= nowMs) owed += amountMicros
  }
  for (const invoice of await store.invoices.unpaid(endUserId, mode)) owed += onDemandPartOf(invoice)
  return owed
}

/** The active pools as the next request will find them, including pools that the ledger will grant for it. */
export async function currentPools(
  endUser: EndUser,
  bundle: BundleRecord,
  stored: StoredSubscription | null,
  context: PlanReads,
): Promise<OwnedPool[]> {
  const nowMs = modeTime(context)
  const { changes, existing } = await duePools(endUser, bundle, stored, context)
  return poolsAfter(existing, changes).filter(
    ({ bundleId, source }) => bundleId !== null && !source.isSuspended && isCurrent(source, nowMs),
  )
}

/** The stored pools, with the due changes that the ledger has not written yet. */
export async function duePools(
  endUser: EndUser,
  bundle: BundleRecord,
  stored: StoredSubscription | null,
  context: PlanReads,
): Promise<{ readonly existing: readonly OwnedPool[]; readonly changes: PoolChanges }> {
  const { application, mode, store } = context
  const nowMs = modeTime(context)
  const planId = planAt(bundle.id, stored ?? { planEndsAtMs: null }, nowMs)
  const existing = await store.balances.pools(endUser.id, mode, planId)
  const terms = await store.bundles.datedIncludes(bundle.id, mode)
  const names = await store.aliases.names(application.id)
  const changes = poolChanges({
    bundleId: planId,
    isRemoved: false,
    includes: terms
      .filter(({ unit }) => unit === 'micros' || bundle.creditCurrency !== null)
      .map((include) => includeOf(include, bundle, () => names)),
    anchorMs: stored?.subscribedAtMs ?? endUser.subscribedAtMs,
    sinceMs: stored?.bundleSinceMs ?? endUser.bundleSinceMs,
    interval: bundle.interval,
    nowMs,
    pools: existing,
  })
  return { existing, changes }
}

export interface ShownPool {
  readonly pool: OwnedPool
  readonly parts: readonly PoolSource[]
  readonly rolledOver: bigint
}

/** Returns one pool per slug. A pool with several parts has the position of the part granted for this period. */
export function withCarriedOver(pools: readonly OwnedPool[]): ShownPool[] {
  const isPartOf = (one: OwnedPool, other: OwnedPool): boolean =>
    one.source.slug === other.source.slug && one.rolled > 0 && one.source.endsAtMs === other.source.endsAtMs
  const shown: ShownPool[] = []
  for (const fresh of pools) {
    if (fresh.rolled > 0 && pools.some((pool) => pool.rolled === 0 && isPartOf(fresh, pool))) continue
    const carried = pools.filter((pool) => pool !== fresh && fresh.rolled === 0 && isPartOf(pool, fresh))
    let { granted, held, posted } = fresh.source
    let { priceMicros } = fresh
    let rolledOver = fresh.rolled > 0 ? granted : 0n
    for (const { priceMicros: carriedPrice, source } of carried) {
      if (priceMicros !== null) priceMicros += carriedPrice ?? 0n
      granted += source.granted
      held += source.held
      posted += source.posted
      rolledOver += source.granted
    }
    const parts = [...carried.map(({ source }) => source), fresh.source]
    shown.push({
      pool: { ...fresh, priceMicros, source: { ...fresh.source, granted, held, posted } },
      parts,
      rolledOver,
    })
  }
  return shown
}

/** The remaining amount in micros, without the held amount. 0 if the pool counts credits without a price. */
export function poolMicrosLeft(pool: OwnedPool): bigint {
  const { granted, held, posted, unit } = pool.source
  const left = posted - held
  if (left <= 0n) return 0n
  if (unit === 'micros') return left
  return isSoldForMoney(pool) ? shareOfPrice(pool, granted) - shareOfPrice(pool, granted - left) : 0n
}

export function isSoldForMoney({ priceMicros, source }: Pick<OwnedPool, 'priceMicros' | 'source'>): boolean {
  return source.unit === 'credits' && priceMicros !== null && priceMicros > 0n
}

/** In micros, rounded up. */
export function shareOfPrice(
  { priceMicros, source }: Pick<OwnedPool, 'priceMicros' | 'source'>,
  credits: bigint,
): bigint {
  return ceilDiv(credits * (priceMicros ?? 0n), source.granted)
}
