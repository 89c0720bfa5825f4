import type { Actor } from '#domain/people/caller-types.ts'
import { isRoleAtLeast } from '#domain/people/team-roles.ts'
import { Failure } from '#domain/errors.ts'
import type { Operation } from './declare-operation.ts'

export type Guarded = Pick<Operation, 'isForOneApplication' | 'isForPeople' | 'leastRole'>

/** Null if the caller may call the operation, whatever the input is. */
export function denial(
  actor: Actor,
  { isForOneApplication, isForPeople, leastRole }: Guarded,
): Failure | null {
  if (!isRoleAtLeast(actor.role, leastRole)) {
    return new Failure('role_required', { role: actor.role, needed: leastRole })
  }
  const isOfOne = actor.applicationId !== null
  if (isOfOne && !isForOneApplication) return new Failure('organization_credential_required')
  return isForPeople && actor.kind !== 'member' ? new Failure('session_required') : null
}
