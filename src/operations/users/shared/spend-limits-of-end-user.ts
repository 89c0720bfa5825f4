import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import { type KeyListed, lineOf } from '#domain/end-user-keys.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Limit, LimitKind } from '#money/decision-types.ts'
import { calendarWindow, type Window } from '#money/periods-and-windows.ts'
import type { PlanReads } from '#operations/billing/shared/current-plan-and-pools.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { windowDays } from '#operations/kernel/days-of-window.ts'
import type { PortalKeysUse } from './total-spending-of-portal-keys.ts'

export interface SpendLimit extends Limit {
  readonly kind: Exclude<LimitKind, 'outcome_run'>
  readonly name: string
  readonly period: Window
}

export interface LimitedEndUser {
  readonly endUser: EndUser
  readonly bundle: BundleRecord | null
  readonly keys: readonly KeyListed[]
  /** Null if no limit covers the keys that were created in the portal. */
  readonly portal: PortalKeysUse | null
}

/** Returns the limits in the order in which the ledger checks them (store/ledger/spend-limits.ts). */
export async function spendLimitsOf(
  { bundle, endUser, keys, portal }: LimitedEndUser,
  context: PlanReads,
): Promise<SpendLimit[]> {
  const { application, mode, store } = context
  const nowMs = modeTime(context)
  const inFlight = await store.keys.inFlight(application.id, [endUser.id], mode)
  const heldMicros = [...inFlight.values()].reduce((sum, held) => sum + held.heldMicros, 0n)
  const limits: SpendLimit[] = []
  const add = (limit: Omit<SpendLimit, 'resetsAtMs'>): void => {
    limits.push({ ...limit, resetsAtMs: calendarWindow(limit.period, nowMs).endsAtMs })
  }
  const chargedIn = (period: Window): Promise<bigint> =>
    store.portals.chargedMicros(endUser.id, mode, windowDays(period, nowMs))
  for (const key of keys) {
    const { capMicros: limitMicros, capPeriod: period, id, name } = key
    if (limitMicros === null) continue
    // oxlint-disable-next-line no-await-in-loop -- an end user has few keys
    const charged = await store.keys.charged([endUser.id], mode, windowDays(period, nowMs))
    const spentMicros = charged.get(lineOf(key)) ?? 0n
    const held = inFlight.get(lineOf(key))?.heldMicros ?? 0n
    add({ kind: 'key_cap', id, name, period, limitMicros, spentMicros, heldMicros: held })
  }
  if (portal !== null) {
    const { heldMicros: held, period, spentMicros, totalMicros: limitMicros } = portal
    const name = 'Keys created in the portal'
    add({ kind: 'portal_total', id: 'portal', name, period, limitMicros, spentMicros, heldMicros: held })
  }
  if (bundle !== null && bundle.spendLimitMicros !== null) {
    const { displayName: name, slug: id, spendLimitMicros: limitMicros, spendLimitPeriod: period } = bundle
    const spentMicros = await chargedIn(period)
    add({ kind: 'bundle_limit', id, name, period, limitMicros, spentMicros, heldMicros })
  }
  const own = (await store.balances.limits([endUser.id], mode)).get(endUser.id) ?? []
  for (const { micros: limitMicros, window: period } of own) {
    // oxlint-disable-next-line no-await-in-loop -- four at most, on one connection
    const spentMicros = await chargedIn(period)
    const name = 'End user'
    add({ kind: 'end_user_limit', id: period, name, period, limitMicros, spentMicros, heldMicros })
  }
  return limits
}
