import type { Mode } from '#domain/application-config.ts'
import type { BundleRecord, EndUser } from '#domain/records.ts'
import { modeTime } from '#operations/kernel/mode-time.ts'
import type { ApplicationContext } from '#operations/kernel/context.ts'
import { type Billing, endNow, putOnPlan } from '#operations/billing/billing.ts'

const modes: readonly Mode[] = ['live', 'test']

/**
 * Puts an end user on a bundle in the mode of the request. The caller stores the returned record. A write in test mode
 * gives test mode its own plan and leaves live mode unchanged. A write in live mode moves test mode too, at its own
 * time, unless test mode has its own plan. The periods of the subscription are kept.
 *
 * The ledger then writes the changes of the pools, before the response. If that fails, the next operation writes the
 * same grants, because they follow from the stored time of the membership and from dated terms (money/plan-pools.ts).
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
  // An end user who was created in test mode joins a plan for the first time.
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

/** Has the ledger write the effects of a change on the end user's pools of these modes (money/plan-pools.ts). */
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
 * Starts the first plan of a new end user, who is already stored, with the bundle if this is live mode. The periods
 * begin now, in each mode at its own time. The pools of the request's mode are granted immediately. If test mode
 * follows, its pools are granted with its first request or lookup.
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

/** Ends the plan of a deleted end user, in both modes. Repeating it changes nothing. */
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
