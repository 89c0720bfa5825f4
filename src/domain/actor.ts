/** Who makes a request to the control plane, and what its role lets it do. */
import type { Token } from './records.ts'

/** Each role may do all that the ones before it may. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

export type Actor = TokenActor

interface ActorFacts {
  readonly id: string
  /** Its name for people: the label of a token. */
  readonly label: string
  readonly role: Role
  /** The one application that it may use; null: every one of its organization. */
  readonly applicationId: string | null
  /** The application that `apps.use` chose for it. */
  readonly activeApplicationId: string | null
}

export interface TokenActor extends ActorFacts {
  readonly kind: 'token'
  readonly token: Token
}

export function tokenActor(token: Token): TokenActor {
  const { activeApplicationId, applicationId, id, label, role } = token
  return { kind: 'token', id, label, role, applicationId, activeApplicationId, token }
}

/** Whether a role may do what needs at least another. */
export function isRoleAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}

/** The lower of two roles: nobody gives away more than they have. */
export function lowerRole(one: Role, other: Role): Role {
  return isRoleAtLeast(one, other) ? other : one
}
