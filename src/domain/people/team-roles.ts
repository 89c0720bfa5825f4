/**
 * The roles of team members, from the lowest to the highest. Each role has all rights of the roles before it in the
 * list.
 */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

export function isRoleAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}

/** A caller cannot grant more rights than the caller's own rights. */
export function lowerRole(one: Role, other: Role): Role {
  return isRoleAtLeast(one, other) ? other : one
}
