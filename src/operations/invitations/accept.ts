import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import type { Member } from '#domain/people/members.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { PublicContext } from '#operations/context.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { MemberEmail, NewPassword, text } from '#operations/schemas.ts'
import { SignedIn } from '#operations/sessions/session-view.ts'
import { refuseWeak } from '#operations/sessions/refuse-weak.ts'
import { startSession } from '#operations/sessions/start-session.ts'
import { InviteToken, joiningBy } from './joining.ts'

export default operation({
  id: 'invitations.accept',
  method: 'POST',
  path: '/v1/invitations/accept',
  scope: 'public',
  isExtension: true,
  summary: 'Join the team by a link',
  description:
    'Takes the link of team.invite, or the one that the first start prints for the first owner, once; chooses a password, and signs in.',
  body: z.strictObject({
    token: InviteToken,
    name: text(128).meta({ description: 'Name for people.', examples: ['Ada Lovelace'] }),
    password: NewPassword,
    email: MemberEmail.optional().meta({
      description: 'E-mail address of the first owner; an invitation has its own.',
    }),
  }),
  output: SignedIn,
  errors: ['link_invalid', 'address_in_use'],
  answersSecret: true,
  async prepare({ body: { email, name, password, token } }, context) {
    const joining = await joiningBy(token, context)
    if (joining === null) return refused('link_invalid', {}, 'token')
    if (joining.kind === 'invited' && email !== undefined && email !== joining.member.email) {
      return refused(
        'invalid_request',
        { reason: 'email must be that of the invitation, or left out.' },
        'email',
      )
    }
    if (joining.kind === 'first_owner' && email === undefined) {
      return refused(
        'invalid_request',
        { reason: 'email is required by the link of the first owner.' },
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
    // The holder of a token may have invited the same address before.
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
