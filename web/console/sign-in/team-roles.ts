/** From the fewest permissions to the most. */
export const roles = [
  ['viewer', 'Viewer', 'can view everything except secrets and the audit log'],
  ['developer', 'Developer', 'can also edit models, bundles, keys, grants and accounts'],
  ['admin', 'Admin', 'can also invite members, create applications and view the audit log'],
  ['owner', 'Owner', 'can also change the organization’s tier and its owners'],
] as const

export type RoleName = (typeof roles)[number][0]

export function aboutRole(role: string): string {
  return roles.find(([name]) => name === role)?.[2] ?? ''
}
