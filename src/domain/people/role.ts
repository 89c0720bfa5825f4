/** Each role may do all that the ones before it may. */
export const roles = ['viewer', 'developer', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/** Whether a role may do what needs at least another. */
export function isRoleAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}

/** The lower of two roles: nobody gives away more than they have. */
export function lowerRole(one: Role, other: Role): Role {
  return isRoleAtLeast(one, other) ? other : one
}
