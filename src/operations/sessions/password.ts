import assert from 'node:assert/strict'
import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { NewPassword, text } from '#operations/kernel/value-and-page-schemas.ts'
import { MemberView, memberView } from '#operations/team/shared/member-view.ts'
import { refuseWeak } from '#operations/sessions/shared/reject-weak-password.ts'

export default operation({
  id: 'sessions.password',
  method: 'POST',
  path: '/v1/sessions/password',
  scope: 'organization',
  isExtension: true,
  isForPeople: true,
  leastRole: 'viewer',
  summary: "Change the member's password",
  description:
    "Changes the password of the signed-in member and ends the member's other sessions and all portal sessions that the member opened. Tokens of devices remain valid until tokens.revoke revokes them. A member who signs in only with the identity provider sets a first password with this operation.",
  body: z.strictObject({
    currentPassword: text(256).optional().meta({
      description: 'Current password. Omit if the member has no password.',
    }),
    newPassword: NewPassword,
  }),
  output: MemberView,
  errors: ['wrong_password'],
  guessable: 'password',
  async prepare({ body: { currentPassword = '', newPassword } }, { actor, client, ports, store }) {
    assert(actor.kind === 'member', 'the operation requires a member')
    const { email, passwordHash } = actor.member
    const caller = { address: client.address, proof: actor.session.id }
    const isRight =
      passwordHash === null || (await ports.passwords.isRight(email, currentPassword, passwordHash, caller))
    if (!isRight) return refused('wrong_password', {}, 'currentPassword')
    const weak = await refuseWeak(newPassword, actor.member, store, 'newPassword')
    if (weak) return weak
    return { before: passwordHash, after: await ports.passwords.hash(newPassword, caller) }
  },
  async run(_, { actor, organization, store }, { after, before }) {
    assert(actor.kind === 'member', 'the operation requires a member')
    const member = await store.members.byId(organization.id, actor.member.id)
    // Another request may have changed the password in the meantime.
    if (member?.passwordHash !== before) return refused('wrong_password', {}, 'currentPassword')
    await store.members.setPassword(member.id, after)
    await store.memberSessions.removeOfMember(member.id, actor.session.id)
    await store.portals.endVisitsOpenedBy(member.id, 'in_session')
    return memberView({ ...member, passwordHash: after })
  },
})
