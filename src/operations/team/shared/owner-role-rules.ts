import type { Actor } from '#domain/people/caller-types.ts'
import { isRoleAtLeast, type Role } from '#domain/people/team-roles.ts'
import type { Member } from '#domain/people/member-records.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { type Refused, refused } from '#operations/kernel/returned-error.ts'

export function ownersOnly(actor: Actor, concerned: readonly Role[]): Refused<'role_required'> | null {
  if (!concerned.includes('owner') || isRoleAtLeast(actor.role, 'owner')) return null
  return refused('role_required', { role: actor.role, needed: 'owner' })
}

/** Call this in the transaction that removes the role. */
export async function isLastOwner(
  { joinedAtMs, role }: Member,
  { organization, store }: Context,
): Promise<boolean> {
  if (role !== 'owner' || joinedAtMs === null) return false
  return (await store.members.joinedCount(organization.id, 'owner')) <= 1
}
