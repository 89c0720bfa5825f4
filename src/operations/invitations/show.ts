import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { Role, Timestamp } from '#operations/schemas.ts'
import { InviteToken, joiningBy } from './joining.ts'

/** A POST although it only reads, so that the token of the link is in no URL and in no access log. */
export default operation({
  id: 'invitations.show',
  method: 'POST',
  path: '/v1/invitations/show',
  scope: 'public',
  isExtension: true,
  changesNothing: true,
  summary: 'Show what a link to join is for',
  description:
    'Says whether the link of team.invite, or the one that the first start prints, still works, and to whom it opens what. The link is not used up by that.',
  body: z.strictObject({ token: InviteToken }),
  output: z.object({
    kind: z.enum(['invited', 'first_owner']).meta({
      description: '`invited`: by team.invite; `first_owner`: by the first start, or `tollgate setup-link`.',
    }),
    organization: z.string().meta({ description: 'Name of the organization that is joined.' }),
    email: z.string().nullable().meta({
      description: 'Address that was invited; null: the first owner chooses one.',
    }),
    role: Role.meta({ description: 'What who joins may do.' }),
    expiresAt: Timestamp.meta({ description: 'When the link ends.' }),
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
