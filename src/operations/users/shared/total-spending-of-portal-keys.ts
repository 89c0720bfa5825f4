import { hasExpired, type KeyListed, lineOf } from '#domain/end-user-keys.ts'
import type { Window } from '#money/periods-and-windows.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { PlanReads } from '#operations/billing/shared/current-plan-and-pools.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { windowDays } from '#operations/kernel/days-of-window.ts'

export interface PortalKeysUse {
  readonly totalMicros: bigint
  readonly period: Window
  /** Includes charges of keys that were revoked or have expired. */
  readonly spentMicros: bigint
  readonly heldMicros: bigint
  /** Maximum sum of the caps of further keys. */
  readonly leftForCapsMicros: bigint
}

/** Null if the application has not set a limit. */
export async function portalKeysUse(
  endUser: Pick<EndUser, 'id'>,
  context: PlanReads,
): Promise<PortalKeysUse | null> {
  const { application, mode, store } = context
  const { keyCapPeriod: period, keyCapsTotalMicros: totalMicros } = await store.portals.settings(
    application.id,
  )
  if (totalMicros === null) return null
  const nowMs = modeTime(context)
  const lines = Map.groupBy(await store.keys.ofPortal(endUser.id, mode), lineOf)
  const charged = await store.keys.charged([endUser.id], mode, windowDays(period, nowMs))
  const inFlight = await store.keys.inFlight(application.id, [endUser.id], mode)
  let spentMicros = 0n
  let heldMicros = 0n
  let takenMicros = 0n
  for (const [line, keys] of lines) {
    const spent = charged.get(line) ?? 0n
    const held = inFlight.get(line)?.heldMicros ?? 0n
    spentMicros += spent
    heldMicros += held
    const cap = capOf(keys, { nowMs, period, totalMicros })
    const used = spent + held
    takenMicros += cap > used ? cap : used
  }
  const leftMicros = totalMicros - takenMicros
  return {
    totalMicros,
    period,
    spentMicros,
    heldMicros,
    leftForCapsMicros: leftMicros < 0n ? 0n : leftMicros,
  }
}

/**
 * The amount that a key line (a key and its replacements) can spend, or 0 without a usable key. A key without a cap, or
 * with a cap for another period, can spend the whole limit.
 */
function capOf(
  keys: readonly KeyListed[],
  { nowMs, period, totalMicros }: { nowMs: number; period: Window; totalMicros: bigint },
): bigint {
  let most = 0n
  for (const key of keys) {
    if (key.revokedAtMs !== null || hasExpired(key, nowMs)) continue
    const cap = key.capPeriod === period && key.capMicros !== null ? key.capMicros : totalMicros
    if (cap > most) most = cap
  }
  return most
}
