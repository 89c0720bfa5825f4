import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownMember } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { Switch } from '#operations/kernel/value-and-page-schemas.ts'
import {
  ChangedMember,
  endCreatedTokens,
  revokeTokensWords,
} from '#operations/team/shared/tokens-created-by-member.ts'
import { memberView } from '#operations/team/shared/member-view.ts'
import { isLastOwner, ownersOnly } from '#operations/team/shared/owner-role-rules.ts'

export default operationOn(ownMember, {
  id: 'team.rm',
  method: 'DELETE',
  path: '/v1/team/{email}',
  leastRole: 'admin',
  summary: 'Remove a member',
  description:
    "Removes a member, or revokes an open invitation. Removing an owner requires the owner role. The last owner cannot be removed.\n\n- The member's sessions end, also the portal sessions that the member opened, and the tokens of the member's devices are revoked immediately.\n- Tokens that the member created for the organization remain valid and are returned in `validTokens`, unless `revokeTokens` is true.",
  query: { revokeTokens: Switch.optional().meta({ description: revokeTokensWords }) },
  output: ChangedMember,
  errors: ['last_owner'],
  async run(member, context, { query }) {
    const denied = ownersOnly(context.actor, [member.role])
    if (denied) return denied
    if (await isLastOwner(member, context)) return refused('last_owner', {}, 'email')
    const { nowMs, store } = context
    const nothing = { passwordHash: null, oidcIssuer: null, oidcSubject: null, inviteExpiresAtMs: null }
    await store.members.update({ ...member, ...nothing, removedAtMs: nowMs }, null)
    await store.memberSessions.removeOfMember(member.id)
    await store.portals.endVisitsOpenedBy(member.id, 'either')
    await store.passkeys.removeOfMember(member.id)
    await store.tokens.revokeOfMember(member.id, null, nowMs)
    const validTokens = await endCreatedTokens(
      member,
      { above: null, isRevoked: query.revokeTokens === true },
      context,
    )
    return { ...memberView(member), validTokens }
  },
})
