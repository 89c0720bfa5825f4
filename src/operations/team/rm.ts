import { operationOn } from '#operations/operation.ts'
import { ownMember } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { MemberView, memberView } from './member-view.ts'
import { isLastOwner, ownersOnly } from './owners.ts'

export default operationOn(ownMember, {
  id: 'team.rm',
  method: 'DELETE',
  path: '/v1/team/{email}',
  leastRole: 'admin',
  summary: 'Remove a member',
  description:
    'Ends the sessions of the member and revokes the tokens of the devices on which they signed in, at once; tokens that they made for the organization go on. An invitation that is still open is worth nothing from then on. Only an owner removes an owner, and the last one stays.',
  output: MemberView,
  errors: ['last_owner'],
  async run(member, context) {
    const denied = ownersOnly(context.actor, [member.role])
    if (denied) return denied
    if (await isLastOwner(member, context)) return refused('last_owner', {}, 'email')
    const { nowMs, store } = context
    const nothing = { passwordHash: null, oidcIssuer: null, oidcSubject: null, inviteExpiresAtMs: null }
    await store.members.update({ ...member, ...nothing, removedAtMs: nowMs }, null)
    await store.memberSessions.removeOfMember(member.id)
    await store.tokens.revokeOfMember(member.id, null, nowMs)
    return memberView(member)
  },
})
