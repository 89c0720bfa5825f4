import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { PolicyView } from './policy-view.ts'

export default operation({
  id: 'sessions.setPolicy',
  method: 'PATCH',
  path: '/v1/sessions/policy',
  scope: 'organization',
  isExtension: true,
  leastRole: 'owner',
  summary: 'Change the sign-in policy',
  description:
    'Changes what the organization requires of members who sign in, starting with the next sign-in. Open sessions continue. A member without a passkey registers one during the next sign-in with a password.',
  body: z.strictObject({
    passkeyRequired: z
      .boolean()
      .meta({ description: 'Whether members need a passkey to sign in with a password.' }),
  }),
  output: PolicyView,
  async run({ body: { passkeyRequired } }, { organization, store }) {
    await store.passkeys.setRequired(organization.id, passkeyRequired)
    return { passkeyRequired }
  },
  revision: async (_, { organization, store }) => ({
    passkeyRequired: await store.passkeys.isRequired(organization.id),
  }),
})
