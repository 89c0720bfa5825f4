import type { Mode } from '#domain/application-config.ts'
import type { BundleRecord, EndUser } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/operation.ts'

const modes: readonly Mode[] = ['live', 'test']

/**
 * Moves a person to another bundle, in both modes; the caller stores it. The ledger writes the changes of the
 * pools after that, or with the next call if that fails (money/plan-pools.ts). The periods of the subscription stay.
 */
export function movedToBundle(endUser: EndUser, bundle: BundleRecord, context: ApplicationContext): EndUser {
  if (endUser.bundleId === bundle.id) return endUser
  bringPoolsUpAfterCommit(endUser, context)
  return { ...endUser, bundleId: bundle.id, bundleSinceMs: context.nowMs }
}

/** Has the ledger write what the change of a person means for the pools of both modes (money/plan-pools.ts). */
export function bringPoolsUpAfterCommit(
  { id: endUserId }: EndUser,
  { afterCommit, nowMs, ports }: ApplicationContext,
): void {
  afterCommit(async () => {
    await Promise.all(modes.map((mode) => ports.ledger.complete({ endUserId, mode, nowMs })))
  })
}
