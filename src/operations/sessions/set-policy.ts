import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { PolicyView } from '#operations/sessions/shared/sign-in-policy-view.ts'

export default operation({
  id: 'sessions.setPolicy',
  method: 'PATCH',
  path: '/v1/sessions/policy',
  scope: 'organization',
  isExtension: true,
  leastRole: 'owner',
  summary: 'Change the sign-in policy',
  description:
    'Changes the sign-in requirements of the organization, starting with the next sign-in. Open sessions continue. If passkeys are required, a member without a passkey registers one at the next sign-in with a password.',
  body: z.strictObject({
    passkeyRequired: z.boolean().meta({
      description:
        'Whether a sign-in with a password also requires a passkey. If false, a passkey is required only of members who have one. Sign-ins with the identity provider are not affected.',
    }),
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
