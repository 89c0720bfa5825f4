import type { Mode } from '#domain/application-config.ts'
import type { BundleRecord, EndUser } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/operation.ts'

const modes: readonly Mode[] = ['live', 'test']

/**
 * Moves a person to another bundle, in both modes; the caller stores it. The ledger writes the changes of the
 * pools after that, or with the next call if that fails (money/plan-pools.ts). The periods of the subscription stay.
 */
export function movedToBundle(
  endUser: EndUser,
  bundle: BundleRecord,
  { afterCommit, nowMs, ports }: ApplicationContext,
): EndUser {
  if (endUser.bundleId === bundle.id) return endUser
  afterCommit(async () => {
    const { id: endUserId } = endUser
    await Promise.all(modes.map((mode) => ports.ledger.complete({ endUserId, mode, nowMs })))
  })
  return { ...endUser, bundleId: bundle.id, bundleSinceMs: nowMs }
}
