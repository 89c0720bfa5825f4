import * as z from 'zod'
import { isRoleAtLeast } from '#domain/people/role.ts'
import { operationOn } from '#operations/operation.ts'
import { ownMember } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { Role } from '#operations/schemas.ts'
import { MemberView, memberView } from './member-view.ts'
import { isLastOwner, ownersOnly } from './owners.ts'

export default operationOn(ownMember, {
  id: 'team.role',
  method: 'PATCH',
  path: '/v1/team/{email}',
  leastRole: 'admin',
  summary: 'Change the role of a member',
  description:
    'A lower role ends the sessions of the member at once, and revokes the tokens of their devices that may do more. Only an owner makes or changes owners, and the last one stays.',
  body: z.strictObject({ role: Role.meta({ description: 'What the member may do from now on.' }) }),
  output: MemberView,
  errors: ['last_owner'],
  async run(member, context, { body: { role } }) {
    const denied = ownersOnly(context.actor, [member.role, role])
    if (denied) return denied
    if (role !== 'owner' && (await isLastOwner(member, context))) return refused('last_owner', {}, 'role')
    const { nowMs, store } = context
    await store.members.setRole(member.id, role)
    if (!isRoleAtLeast(role, member.role)) {
      await store.memberSessions.removeOfMember(member.id)
      await store.tokens.revokeOfMember(member.id, role, nowMs)
    }
    return memberView({ ...member, role })
  },
})
