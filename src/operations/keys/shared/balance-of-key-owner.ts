import { Failure } from '#domain/errors.ts'
import type {
  HeldModel,
  Holder,
  HolderBalance,
  HolderLimitKind,
} from '#domain/balance-and-usage-for-key-owner.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Nouns } from '#domain/store-interface.ts'
import type { Limit, OnDemandSource, Source, TeamSource } from '#money/decision-types.ts'
import { calendarWindow } from '#money/periods-and-windows.ts'
import { poolsAfter } from '#money/plan-pools.ts'
import { amountOf, appliesTo, resetsAt } from '#money/rate-limit.ts'
import { remainingMicros } from '#money/remaining-amount.ts'
import { isCurrent, onDemandTime } from '#money/payment-sources.ts'
import type { StoredSubscription } from '#domain/billing/subscription-records.ts'
import { duePools, planOf, type PlanReads } from '#operations/billing/shared/current-plan-and-pools.ts'
import { poolSharesOf } from '#operations/billing/shared/team-pools-shared-by-payer.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { type HeldRateLimit, rateLimitsOf } from '#operations/users/shared/rate-limit-use-views.ts'
import { spendLimitsOf } from '#operations/users/shared/spend-limits-of-end-user.ts'
import { spendableMicros } from '#operations/users/shared/spending-pace.ts'
import { portalKeysUse } from '#operations/users/shared/total-spending-of-portal-keys.ts'

/**
 * Returns the balance and the limits as the reserve of the next request will find them.
 * @param model the model name for which the remaining amount is computed; null counts every pool
 */
export async function holderBalance(
  holder: Holder,
  model: HeldModel | null,
  store: Nouns,
): Promise<HolderBalance> {
  const { key, organizationId } = holder
  const { applicationId, endUserId, keyId, mode } = key
  const [application, endUser, stored, held] = await Promise.all([
    store.applications.byId(organizationId, applicationId),
    store.endUsers.byId(applicationId, endUserId),
    store.subscriptions.of(endUserId, mode),
    store.keys.byId(applicationId, keyId),
  ])
  if (application === null || endUser === null || held === null) throw new Failure('invalid_key')
  const context: PlanReads = { application, mode, nowMs: holder.nowMs, store }
  const nowMs = modeTime(context)
  const bundle = await planOf(endUser, context)
  const pools = bundle === null ? [] : await poolsOf(endUser, bundle, stored, context)
  const wallet = (await store.balances.wallets([endUserId], mode, nowMs)).get(endUserId)
  const { heldMicros = 0n, postedMicros = 0n } = wallet ?? {}
  const share = await store.teams.share(endUser, mode, nowMs)
  const onDemand = await onDemandOf(endUserId, stored, context)
  const portal = key.isPortalLine ? await portalKeysUse(endUser, context) : null
  const limits = await spendLimitsOf({ endUser, bundle, keys: [held], portal }, context)
  const rates = (await rateLimitsOf(endUser, bundle, [held], context)).filter((rate) =>
    appliesTo(rate, model?.alias ?? ''),
  )
  const sources: Source[] = [
    ...pools.map(({ source }) => (model === null ? { ...source, models: ['*'] } : source)),
    ...(await poolSharesOf(endUser, context)).map(({ pool, share: ofPool }) =>
      model === null ? { ...ofPool, pool: { ...pool.source, models: ['*'] } } : ofPool,
    ),
    ...(share === null ? [] : [share]),
    { kind: 'wallet', id: 'wallet', posted: spendableMicros(wallet, nowMs), held: 0n, given: 0n },
    onDemand,
  ]
  const isFrozen = endUser.frozenAtMs !== null
  const state = { nowMs, isFrozen, key: held, run: null, sources, limits, rates }
  const price = { credits: model?.hasCreditPrice === true ? {} : null }
  const remaining = bundle === null ? 0n : remainingMicros(model?.alias ?? '', price, state)
  const onDemandLeft = remainingMicros('', price, { ...state, sources: [onDemand], limits: [], rates: [] })
  return {
    livemode: mode === 'live',
    frozen: isFrozen,
    remainingMicros: textOrNull(remaining),
    wallet: { balanceMicros: String(postedMicros), heldMicros: String(heldMicros) },
    pools: pools
      .filter(({ source }) => !source.isSuspended && isCurrent(source, nowMs))
      .map(({ displayName, source }) => ({
        slug: source.slug,
        name: displayName,
        unit: source.unit,
        models: source.models,
        balanceUnits: String(source.posted),
        heldUnits: String(source.held),
        endsAt: timeText(source.endsAtMs),
      })),
    onDemand: {
      enabled: onDemand.isEnabled,
      limitMicros: textOrNull(onDemand.limitMicros),
      usedMicros: String(-onDemand.posted),
      heldMicros: String(onDemand.held),
      remainingMicros: textOrNull(onDemandLeft),
    },
    limits: [...limits, ...limitsOnCharges(rates), ...capOf(share)].map(
      ({ kind, limitMicros, spentMicros, heldMicros: heldOf, resetsAtMs }) => ({
        kind,
        limitMicros: String(limitMicros),
        usedMicros: String(spentMicros),
        heldMicros: String(heldOf),
        remainingMicros: String(limitMicros - spentMicros - heldOf),
        resetsAt: timeText(resetsAtMs),
      }),
    ),
  }
}

function capOf(share: TeamSource | null): KeyLimit[] {
  if (share === null || share.capMicros === null) return []
  const { capMicros, endsAtMs, held, id, posted } = share
  return [
    {
      kind: 'member_cap',
      id,
      limitMicros: capMicros,
      spentMicros: -posted,
      heldMicros: held,
      resetsAtMs: endsAtMs,
    },
  ]
}

function limitsOnCharges(rates: readonly HeldRateLimit[]): KeyLimit[] {
  return rates
    .filter(({ measure }) => measure === 'micros')
    .map((rate) => ({
      kind: rate.source,
      id: String(rate.window),
      limitMicros: rate.most,
      spentMicros: amountOf(rate.slots),
      heldMicros: rate.held,
      resetsAtMs: resetsAt(rate),
    }))
}

/** Includes ended pools, which do not pay. */
async function poolsOf(
  endUser: EndUser,
  bundle: BundleRecord,
  stored: StoredSubscription | null,
  context: PlanReads,
) {
  const { changes, existing } = await duePools(endUser, bundle, stored, context)
  return poolsAfter(existing, changes).filter(({ bundleId }) => bundleId !== null)
}

/** Requests in flight may still hold part of the on-demand usage. */
async function onDemandOf(
  endUserId: string,
  stored: StoredSubscription | null,
  context: PlanReads,
): Promise<OnDemandSource> {
  const { mode, store } = context
  const { balances } = store
  const closedUntilMs = stored?.onDemandClosedUntilMs ?? 0
  const nowMs = onDemandTime(closedUntilMs, modeTime(context))
  const { endsAtMs, startsAtMs } = calendarWindow('month', nowMs)
  const { isEnabled, limitMicros } = await balances.onDemand(endUserId, mode)
  return {
    kind: 'on_demand',
    id: 'on_demand',
    posted: -(await balances.onDemandSpent(endUserId, mode, nowMs)),
    held: await balances.onDemandHeld(endUserId, mode, nowMs),
    isEnabled,
    limitMicros,
    untilMs: stored?.onDemandUntilMs ?? null,
    closedUntilMs,
    startsAtMs,
    endsAtMs: endsAtMs ?? Infinity,
  }
}

/** Excludes limits of runs, because a read belongs to no run. */
type KeyLimit = Omit<Limit, 'kind'> & { readonly kind: HolderLimitKind }

function textOrNull(micros: bigint | null): string | null {
  return micros === null ? null : String(micros)
}

function timeText(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}
