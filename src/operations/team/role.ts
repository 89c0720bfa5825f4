import * as z from 'zod'
import { isRoleAtLeast } from '#domain/people/team-roles.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownMember } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { Role } from '#operations/kernel/value-and-page-schemas.ts'
import {
  ChangedMember,
  endCreatedTokens,
  revokeTokensWords,
} from '#operations/team/shared/tokens-created-by-member.ts'
import { memberView } from '#operations/team/shared/member-view.ts'
import { isLastOwner, ownersOnly } from '#operations/team/shared/owner-role-rules.ts'

export default operationOn(ownMember, {
  id: 'team.role',
  method: 'PATCH',
  path: '/v1/team/{email}',
  leastRole: 'admin',
  summary: "Change a member's role",
  description:
    "Changes the role of a member, starting with the next request. Adding or changing an owner requires the owner role. The role of the last owner cannot be changed. If the new role is lower:\n- The member's sessions end, also the portal sessions that the member opened, and device tokens with a higher role are revoked immediately.\n- Organization tokens that the member created with a higher role remain valid and are returned in `validTokens`, unless `revokeTokens` is true.",
  body: z.strictObject({
    role: Role.meta({ description: 'New role of the member.' }),
    revokeTokens: z.boolean().optional().meta({ description: revokeTokensWords }),
  }),
  output: ChangedMember,
  errors: ['last_owner'],
  async run(member, context, { body: { revokeTokens = false, role } }) {
    const denied = ownersOnly(context.actor, [member.role, role])
    if (denied) return denied
    if (role !== 'owner' && (await isLastOwner(member, context))) return refused('last_owner', {}, 'role')
    const { nowMs, store } = context
    await store.members.setRole(member.id, role)
    if (!isRoleAtLeast(role, member.role)) {
      await store.memberSessions.removeOfMember(member.id)
      await store.portals.endVisitsOpenedBy(member.id, 'either')
      await store.tokens.revokeOfMember(member.id, role, nowMs)
    }
    const validTokens = await endCreatedTokens(member, { above: role, isRevoked: revokeTokens }, context)
    return { ...memberView({ ...member, role }), validTokens }
  },
})
