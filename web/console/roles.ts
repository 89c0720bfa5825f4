/** What the roles of a team may do, in words, least first. */
export const roles = [
  ['viewer', 'Viewer', 'sees everything but secrets and the audit'],
  ['developer', 'Developer', 'changes names, bundles, keys, grants and accounts'],
  ['admin', 'Admin', 'also invites people, makes applications, sees the audit'],
  ['owner', 'Owner', 'also changes what the organization pays, and the owners'],
] as const

export type RoleName = (typeof roles)[number][0]

export function aboutRole(role: string): string {
  return roles.find(([name]) => name === role)?.[2] ?? ''
}
