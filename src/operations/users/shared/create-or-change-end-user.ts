import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Team } from '#domain/billing/team-record.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { findIfNamed, ownBundle, ownTeam } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { movedToBundle, startPlan } from './assign-bundle-to-end-user.ts'

export interface Provision {
  readonly externalId: string
  /** Undefined leaves the address unchanged. Null removes the address. */
  readonly email?: string | null | undefined
  /**
   * Undefined keeps the plan. For a new end user, undefined means the default bundle. In live mode, this also applies
   * to an end user who was created in test mode.
   */
  readonly bundle?: string | undefined
  readonly forTeam?: string | undefined
}

/**
 * An end user who is created in live mode has the plan in both modes. An end user who is created in test mode has no
 * plan in live mode.
 */
export async function provision(
  { bundle: bundleSlug, email, externalId, forTeam }: Provision,
  context: ApplicationContext,
  param: string,
): Promise<EndUser | Refused<'not_found' | 'bundle_required' | 'already_exists'>> {
  const { application, nowMs, store } = context
  const present = await store.endUsers.byExternalId(application.id, externalId)
  const bundle =
    bundleSlug !== undefined
      ? await ownBundle.find(bundleSlug, context, 'bundle')
      : present && (present.bundleId !== null || context.mode === 'test')
        ? null
        : await defaultBundle(context)
  if (bundle instanceof Refused) return bundle
  if (present) {
    // If an end user was created in test mode, the first write in live mode assigns a plan in live mode.
    const moved = bundle ? await movedToBundle(present, bundle, context) : present
    const changed = { ...moved, email: email === undefined ? moved.email : email }
    await store.endUsers.put(changed)
    return changed
  }
  if (!bundle) return refused('bundle_required', {}, 'bundle')
  // A deleted end user keeps Tollgate's own ID as external ID, so no other end user may use that ID.
  if (await store.endUsers.evenRemoved(application.id, externalId)) {
    return refused('already_exists', { resource: 'external id', id: externalId }, param)
  }
  const team = await findIfNamed(ownTeam, forTeam, context, 'forTeam')
  if (team instanceof Refused) return team
  const endUser = {
    id: await newEndUserId(team, context),
    applicationId: application.id,
    externalId,
    email: email ?? null,
    bundleId: context.mode === 'test' ? null : bundle.id,
    subscribedAtMs: nowMs,
    bundleSinceMs: nowMs,
    frozenAtMs: null,
    frozenReason: null,
    removedAtMs: null,
    createdAtMs: nowMs,
    payerId: null,
    payerCapMicros: null,
  }
  await store.endUsers.put(endUser)
  await startPlan(endUser, bundle, context)
  return endUser
}

async function defaultBundle({ application, store }: ApplicationContext): Promise<BundleRecord | null> {
  const { defaultBundleId, id } = application
  return defaultBundleId === null ? null : store.bundles.byId(id, defaultBundleId)
}

/**
 * On a distributed database, the ID determines the shard of the end user. The payer of a team can pay only for members
 * on the payer's shard.
 */
async function newEndUserId(team: Team | null, { ports, store }: ApplicationContext): Promise<string> {
  const isPayable = team === null ? () => true : await store.teams.payableBy(team.payerId)
  for (;;) {
    const id = idOf('eu', ports.newId())
    if (isPayable(id)) return id
  }
}
