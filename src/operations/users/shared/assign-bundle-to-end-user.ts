import type { Mode } from '#domain/application-config.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { type Billing, endNow, putOnPlan } from '#operations/billing/shared/keep-subscription-current.ts'

const modes: readonly Mode[] = ['live', 'test']

/**
 * The caller stores the returned record. In test mode, sets a separate plan for test mode and leaves live mode
 * unchanged. In live mode, also changes the plan of test mode, by the test clock, unless test mode has a separate plan.
 * The periods of the subscription are kept.
 *
 * The ledger changes the pools after the transaction and before the response. If the ledger fails, its next operation
 * writes the same grants, because the grants depend only on the stored time of the assignment and on dated terms
 * (money/plan-pools.ts).
 */
export async function movedToBundle(
  endUser: EndUser,
  bundle: BundleRecord,
  context: ApplicationContext,
): Promise<EndUser> {
  if (context.mode === 'test') {
    await putOn(endUser, bundle, 'test', context)
    bringPoolsUpAfterCommit(endUser, context, ['test'])
    return endUser
  }
  const own = await context.store.subscriptions.ownPlans([endUser.id], 'test')
  const moved = own.size > 0 ? (['live'] as const) : modes
  // An end user without a bundle was created in test mode, so this is the first plan in live mode.
  const isFirst = endUser.bundleId === null
  const before = isFirst ? { ...endUser, subscribedAtMs: context.nowMs } : endUser
  for (const mode of moved) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction is one connection
    await putOn(before, bundle, mode, context)
  }
  bringPoolsUpAfterCommit(endUser, context, moved)
  if (endUser.bundleId === bundle.id) return endUser
  return { ...before, bundleId: bundle.id, bundleSinceMs: context.nowMs }
}

export function bringPoolsUpAfterCommit(
  { id: endUserId }: EndUser,
  context: ApplicationContext,
  of: readonly Mode[] = modes,
): void {
  const { afterCommit, ports } = context
  afterCommit(async () => {
    await Promise.all(
      of.map((mode) => ports.ledger.complete({ endUserId, mode, nowMs: modeTime(context, mode) })),
    )
  })
}

/**
 * The periods begin now, by the clock of each mode. The pools of the request's mode are granted immediately. If the
 * plan also starts in test mode, the first request or look-up there grants the pools of test mode.
 */
export async function startPlan(
  endUser: EndUser,
  bundle: BundleRecord,
  context: ApplicationContext,
): Promise<void> {
  for (const mode of context.mode === 'test' ? (['test'] as const) : modes) {
    const before = { ...endUser, bundleId: null, subscribedAtMs: modeTime(context, mode) }
    // oxlint-disable-next-line no-await-in-loop -- one transaction is one connection
    await putOn(before, bundle, mode, context)
  }
  bringPoolsUpAfterCommit(endUser, context, [context.mode])
}

/** Safe to repeat. */
export async function endPlan(endUser: EndUser, context: ApplicationContext): Promise<void> {
  for (const mode of modes) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction is one connection
    await endNow(billingOf(context), { endUser, mode, nowMs: modeTime(context, mode) })
  }
}

function putOn(
  endUser: EndUser,
  bundle: BundleRecord,
  mode: Mode,
  context: ApplicationContext,
): Promise<void> {
  const who = { endUser, mode, nowMs: modeTime(context, mode) }
  return putOnPlan(billingOf(context), who, bundle, { isOwn: context.mode === 'test' })
}

function billingOf({ ports, store }: ApplicationContext): Billing {
  return { store, newId: ports.newId }
}
