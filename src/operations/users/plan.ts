import type { Mode } from '#domain/application-config.ts'
import type { BundleRecord, EndUser } from '#domain/records.ts'
import { modeTime } from '#operations/mode-time.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { type Billing, endNow, putOnPlan } from '#operations/subscription/billing.ts'

const modes: readonly Mode[] = ['live', 'test']

/**
 * Puts a person on a bundle, in both modes, each at its own time; the caller stores the person. The ledger writes the
 * changes of the pools after that, before the request is answered. If that fails, whatever comes next writes the
 * same grants: they follow from the stored time of the membership and from dated terms (money/plan-pools.ts). The
 * periods of the subscription stay.
 */
export async function movedToBundle(
  endUser: EndUser,
  bundle: BundleRecord,
  context: ApplicationContext,
): Promise<EndUser> {
  for (const mode of modes) {
    const who = { endUser, mode, nowMs: modeTime(context, mode) }
    // oxlint-disable-next-line no-await-in-loop -- one transaction is one connection
    await putOnPlan(billingOf(context), who, bundle)
  }
  bringPoolsUpAfterCommit(endUser, context)
  if (endUser.bundleId === bundle.id) return endUser
  return { ...endUser, bundleId: bundle.id, bundleSinceMs: context.nowMs }
}

/** Has the ledger write what the change of a person means for the pools of these modes (money/plan-pools.ts). */
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
 * The first plan of a new person, who is stored already: their periods begin now, in each mode at its own time. The
 * pools of the mode of the request are granted with it, those of the other mode with its first call or look.
 */
export async function startPlan(
  endUser: EndUser,
  bundle: BundleRecord,
  context: ApplicationContext,
): Promise<void> {
  for (const mode of modes) {
    const nowMs = modeTime(context, mode)
    const before = { ...endUser, bundleId: null, subscribedAtMs: nowMs }
    // oxlint-disable-next-line no-await-in-loop -- one transaction is one connection
    await putOnPlan(billingOf(context), { endUser: before, mode, nowMs }, bundle)
  }
  bringPoolsUpAfterCommit(endUser, context, [context.mode])
}

/** Ends the plan of a person who is removed, in both modes. Repeating it changes nothing. */
export async function endPlan(endUser: EndUser, context: ApplicationContext): Promise<void> {
  for (const mode of modes) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction is one connection
    await endNow(billingOf(context), { endUser, mode, nowMs: modeTime(context, mode) })
  }
}

function billingOf({ ports, store }: ApplicationContext): Billing {
  return { store, newId: ports.newId }
}
