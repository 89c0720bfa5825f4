import * as z from 'zod'
import type { Member } from '#domain/people/member-records.ts'
import { Role, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const MemberView = z
  .object({
    id: z.string().meta({ description: 'ID of the member, `mem_…`.' }),
    email: z.string().meta({ description: 'Email address, in lower case.' }),
    name: z.string().nullable().meta({ description: 'Display name. Null until the member joins.' }),
    role: Role.meta({ description: 'Role of the member.' }),
    hasPassword: z.boolean().meta({
      description:
        'Whether the member has a password. False if the member signs in only with the identity provider, or has not joined.',
    }),
    invitedAt: Timestamp.meta({ description: 'When the member was first invited.' }),
    joinedAt: Timestamp.nullable().meta({
      description: 'When the member joined. Null if the invitation is still open.',
    }),
    inviteExpiresAt: Timestamp.nullable().meta({
      description:
        'When the open invitation expires. The time is in the past if the invitation has expired. Null if no invitation is open.',
    }),
  })
  .meta({ id: 'Member', description: 'A team member, or an open invitation.' })

export function memberView(member: Member): z.output<typeof MemberView> {
  return {
    id: member.id,
    email: member.email,
    name: member.name,
    role: member.role,
    hasPassword: member.passwordHash !== null,
    invitedAt: member.createdAtMs,
    joinedAt: member.joinedAtMs,
    inviteExpiresAt: member.inviteExpiresAtMs,
  }
}
