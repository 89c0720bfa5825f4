import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { Role, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { InviteToken, joiningBy } from '#operations/invitations/shared/invite-link.ts'

/** This read is a POST, so that the link's token appears in no URL and no access log. */
export default operation({
  id: 'invitations.show',
  method: 'POST',
  path: '/v1/invitations/show',
  scope: 'public',
  isExtension: true,
  changesNothing: true,
  summary: 'Show an invitation',
  description:
    'Returns the organization, the email address and the role of an invitation link. Accepts links from team.invite and the link for the first owner. This operation does not use up the link. Returns an error if the link is used, expired or unknown.',
  body: z.strictObject({ token: InviteToken }),
  output: z.object({
    kind: z.enum(['invited', 'first_owner']).meta({
      description:
        '`invited`: a link from team.invite. `first_owner`: a link that the server printed at its first start, or that `tollgate setup-link` printed.',
    }),
    organization: z.string().meta({ description: 'Name of the organization.' }),
    email: z.string().nullable().meta({
      description: 'Email address of the invited member. Null if the first owner chooses the address.',
    }),
    role: Role.meta({ description: 'Role that the new member receives.' }),
    expiresAt: Timestamp.meta({ description: 'When the link expires.' }),
  }),
  errors: ['link_invalid'],
  async run({ body: { token } }, context) {
    const joining = await joiningBy(token, context)
    if (joining === null) return refused('link_invalid', {}, 'token')
    const { expiresAtMs, kind } = joining
    const ofLink =
      kind === 'invited'
        ? joining.member
        : { organizationId: joining.organizationId, email: null, role: 'owner' as const }
    const organization = await context.store.organizations.byId(ofLink.organizationId)
    if (!organization) throw new Error('a link to join is of an organization')
    return {
      kind,
      organization: organization.name,
      email: ofLink.email,
      role: ofLink.role,
      expiresAt: expiresAtMs,
    }
  },
})
