import * as z from 'zod'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Member } from '#domain/people/member-records.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { MemberEmail, NewPassword, text } from '#operations/kernel/value-and-page-schemas.ts'
import { SignedIn } from '#operations/sessions/shared/session-view.ts'
import { refuseWeak } from '#operations/sessions/shared/reject-weak-password.ts'
import { startSession } from '#operations/sessions/shared/start-session.ts'
import { InviteToken, joiningBy } from '#operations/invitations/shared/invite-link.ts'

export default operation({
  id: 'invitations.accept',
  method: 'POST',
  path: '/v1/invitations/accept',
  scope: 'public',
  isExtension: true,
  summary: 'Accept an invitation',
  description:
    "Joins the organization with a link from team.invite, sets the member's password and signs the member in. Also accepts the link for the first owner that the server prints on first start. Each link works once.",
  body: z.strictObject({
    token: InviteToken,
    name: text(128).meta({ description: 'Display name of the member.', examples: ['Ada Lovelace'] }),
    password: NewPassword,
    email: MemberEmail.optional().meta({
      description:
        'Email address of the first owner. Required if `invitations.show` returns the kind `first_owner`. Omit for an invitation, because an invitation contains the address.',
    }),
  }),
  output: SignedIn,
  errors: ['link_invalid', 'address_in_use'],
  answersSecret: true,
  changes: ['invitations', 'team', 'sessions'],
  async prepare({ body: { email, name, password, token } }, context) {
    const joining = await joiningBy(token, context)
    if (joining === null) return refused('link_invalid', {}, 'token')
    if (joining.kind === 'invited' && email !== undefined && email !== joining.member.email) {
      return refused(
        'invalid_request',
        { reason: 'email must match the invitation. Omit email, or send the invited address.' },
        'email',
      )
    }
    if (joining.kind === 'first_owner' && email === undefined) {
      return refused(
        'invalid_request',
        { reason: 'email is required to accept the link for the first owner.' },
        'email',
      )
    }
    const owner =
      joining.kind === 'invited'
        ? { ...joining.member, name }
        : { email: email ?? '', name, organizationId: joining.organizationId }
    const weak = await refuseWeak(password, owner, context.store, 'password')
    if (weak) return weak
    return context.ports.passwords.hash(password, { address: context.client.address, proof: sha256(token) })
  },
  async run({ body: { email: given = '', name, token } }, context, passwordHash) {
    const { nowMs, ports, store } = context
    const joining = await joiningBy(token, context)
    if (joining === null) return refused('link_invalid', {}, 'token')
    const email = joining.kind === 'invited' ? joining.member.email : given
    if (await store.members.joinedByEmail(email)) return refused('address_in_use', { email }, 'email')
    const joined = { email, name, passwordHash, joinedAtMs: nowMs, inviteExpiresAtMs: null }
    if (joining.kind === 'invited') {
      const member: Member = { ...joining.member, ...joined }
      await store.members.update(member, null)
      return begin(member, context)
    }
    const { organizationId } = joining
    await store.members.removeSetupLink(organizationId)
    // An organization's token may have invited a member with the same address.
    const invited = await store.members.byEmail(organizationId, email)
    const nobody = { oidcIssuer: null, oidcSubject: null, createdAtMs: nowMs, removedAtMs: null }
    const id = invited?.id ?? idOf('mem', ports.newId())
    const member: Member = { ...nobody, ...invited, id, organizationId, role: 'owner', ...joined }
    await (invited ? store.members.update(member, null) : store.members.insert(member, null))
    return begin(member, context)
  },
})

async function begin(member: Member, context: PublicContext): ReturnType<typeof startSession> {
  const signedIn = await startSession(member, context)
  context.browser.remember(member.id)
  return signedIn
}
