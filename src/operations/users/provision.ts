import { idOf } from '#domain/id.ts'
import type { BundleRecord, EndUser } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/operation.ts'
import { ownBundle } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { movedToBundle } from './plan.ts'

export interface Provision {
  readonly externalId: string
  /** Undefined: what the person has; null: none. */
  readonly email?: string | null | undefined
  /** Slug; undefined: what the person has, and for a new one the default. */
  readonly bundle?: string | undefined
}

/** The person of that external id as asked for, made or made so. */
export async function provision(
  { bundle: bundleSlug, email, externalId }: Provision,
  context: ApplicationContext,
): Promise<EndUser | Refused<'not_found' | 'bundle_required'>> {
  const { application, nowMs, ports, store } = context
  const present = await store.endUsers.byExternalId(application.id, externalId)
  const bundle =
    bundleSlug !== undefined
      ? await ownBundle.find(bundleSlug, context, 'bundle')
      : present
        ? null
        : await defaultBundle(context)
  if (bundle instanceof Refused) return bundle
  if (present) {
    const moved = bundle ? movedToBundle(present, bundle, context) : present
    const changed = { ...moved, email: email === undefined ? moved.email : email }
    await store.endUsers.put(changed)
    return changed
  }
  if (!bundle) return refused('bundle_required', {}, 'bundle')
  // A person who was removed and comes back is the same person: id, wallet and ledger are still theirs.
  const removed = await store.endUsers.removed(application.id, externalId)
  if (removed) {
    const moved = movedToBundle(removed, bundle, context)
    const changed = { ...moved, email: email ?? null, frozenAtMs: null, removedAtMs: null }
    await store.endUsers.put(changed)
    return changed
  }
  const endUser = {
    id: idOf('eu', ports.newId()),
    applicationId: application.id,
    externalId,
    email: email ?? null,
    bundleId: bundle.id,
    subscribedAtMs: nowMs,
    bundleSinceMs: nowMs,
    frozenAtMs: null,
    removedAtMs: null,
    createdAtMs: nowMs,
  }
  await store.endUsers.put(endUser)
  return endUser
}

async function defaultBundle({ application, store }: ApplicationContext): Promise<BundleRecord | null> {
  const { defaultBundleId, id } = application
  return defaultBundleId === null ? null : store.bundles.byId(id, defaultBundleId)
}
