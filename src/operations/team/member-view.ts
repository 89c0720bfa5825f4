import * as z from 'zod'
import type { Member } from '#domain/people/members.ts'
import { Role, Timestamp } from '#operations/schemas.ts'

export const MemberView = z
  .object({
    id: z.string().meta({ description: 'Id of the member, `mem_…`.' }),
    email: z.string().meta({ description: 'E-mail address, in lower case.' }),
    name: z.string().nullable().meta({ description: 'Name for people; null until they have joined.' }),
    role: Role.meta({ description: 'What the member may do.' }),
    hasPassword: z.boolean().meta({
      description: 'False: the member signs in by the identity provider only, or has not joined.',
    }),
    invitedAt: Timestamp.meta({ description: 'When the member was first invited.' }),
    joinedAt: Timestamp.nullable().meta({
      description: 'When the invitation was accepted; null: it is still open.',
    }),
    inviteExpiresAt: Timestamp.nullable().meta({
      description: 'When the open invitation expires, or did; null: none is open.',
    }),
  })
  .meta({ id: 'Member', description: 'A person of the team, or one who is invited to it.' })

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
