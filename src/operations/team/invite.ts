import * as z from 'zod'
import { dayMs } from '#money/periods-and-windows.ts'
import type { Role as RoleName } from '#domain/people/team-roles.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Mail } from '#domain/people/mail-sender.ts'
import type { Member } from '#domain/people/member-records.ts'
import { randomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { linkWith } from '#operations/kernel/invitation-and-setup-links.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { ownMember } from '#operations/kernel/find-resources-of-caller.ts'
import { lasting, putBody } from '#operations/kernel/put-fields.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { MemberEmail, Role } from '#operations/kernel/value-and-page-schemas.ts'
import { MemberView, memberView } from '#operations/team/shared/member-view.ts'
import { ownersOnly } from '#operations/team/shared/owner-role-rules.ts'

const inviteDays = 7

export default operation({
  id: 'team.invite',
  method: 'PUT',
  path: '/v1/team/{email}',
  scope: 'organization',
  leastRole: 'admin',
  summary: 'Invite a team member',
  description: `Creates an invitation link, which works once and expires after ${inviteDays} days. Repeating the invitation creates a new link and revokes the previous one. Inviting an owner requires the owner role. If the server sends mail, the link is sent by mail and not returned. Otherwise, the link is returned once.`,
  parameters: { email: MemberEmail.meta({ description: 'Email address to invite.' }) },
  body: putBody({
    role: lasting(Role.meta({ description: 'Role of the member.', examples: ['developer'] })),
  }),
  output: MemberView.extend({
    inviteUrl: z
      .string()
      .nullable()
      .meta({
        description: 'Invitation link, returned once. Null if the link was sent by mail.',
        examples: ['https://tollgate.example.com/invite#…'],
      }),
  }),
  errors: ['already_member', 'mail_failed'],
  answersSecret: true,
  async prepare({ body, path }, context) {
    const role = await roleFor(path.email, body.role, context)
    if (role instanceof Refused) return role
    const { actor, organization, ports } = context
    const url = linkWith('invite', randomText(ports), ports)
    if (ports.mail === null) return url
    const mail = inviteMail({ to: path.email, url, organization: organization.name, from: actor.label })
    return (await isTaken(mail, ports.mail)) ? url : refused('mail_failed', { email: path.email })
  },
  async run({ body, path: { email } }, context, url) {
    const role = await roleFor(email, body.role, context)
    if (role instanceof Refused) return role
    const { nowMs, organization, ports, store } = context
    const hash = sha256(new URL(url).hash.slice(1))
    const known = await store.members.byEmail(organization.id, email)
    const member: Member = {
      ...(known ?? newMember(idOf('mem', ports.newId()), email, context)),
      role,
      inviteExpiresAtMs: nowMs + inviteDays * dayMs,
    }
    await (known ? store.members.update(member, hash) : store.members.insert(member, hash))
    return { ...memberView(member), inviteUrl: ports.mail === null ? url : null }
  },
  revision: async ({ path }, context) => ownMember.revision(path.email, context),
})

/** The requested role, or else the role of the open invitation. */
async function roleFor(
  email: string,
  given: RoleName | undefined,
  { actor, organization, store }: Context,
): Promise<RoleName | Refused<'already_member' | 'role_required' | 'invalid_request'>> {
  const known = await store.members.byEmail(organization.id, email)
  if (known && known.joinedAtMs !== null) return refused('already_member', { email }, 'email')
  const role = given ?? known?.role
  if (role === undefined) return refused('invalid_request', { reason: 'role is required.' }, 'role')
  return ownersOnly(actor, known ? [role, known.role] : [role]) ?? role
}

function newMember(id: string, email: string, { nowMs, organization }: Context): Member {
  return {
    id,
    organizationId: organization.id,
    email,
    name: null,
    role: 'viewer',
    passwordHash: null,
    oidcIssuer: null,
    oidcSubject: null,
    createdAtMs: nowMs,
    joinedAtMs: null,
    removedAtMs: null,
    inviteExpiresAtMs: null,
  }
}

type Letter = Parameters<Mail['send']>[0]

function inviteMail({
  from,
  organization,
  to,
  url,
}: Record<'from' | 'organization' | 'to' | 'url', string>): Letter {
  return {
    to,
    subject: `Invitation to ${organization} on Tollgate`,
    text: `${from} invites you to join the team of ${organization} on Tollgate.\n\nTo accept, open this link within ${inviteDays} days. The link works once:\n\n${url}\n\nIf you did not expect this invitation, ignore this email.\n`,
  }
}

async function isTaken(letter: Letter, mail: Mail): Promise<boolean> {
  try {
    await mail.send(letter)
    return true
  } catch {
    // The mail server's own message is in the log (app/smtp-mail.ts).
    return false
  }
}
