import { operation } from '#operations/kernel/declare-operation.ts'
import { PolicyView } from '#operations/sessions/shared/sign-in-policy-view.ts'

export default operation({
  id: 'sessions.policy',
  method: 'GET',
  path: '/v1/sessions/policy',
  scope: 'organization',
  isExtension: true,
  summary: 'Show the sign-in policy',
  description: 'Returns the sign-in requirements of the organization.',
  output: PolicyView,
  run: async (_, { organization, store }) => ({
    passkeyRequired: await store.passkeys.isRequired(organization.id),
  }),
  revision: async (_, { organization, store }) => ({
    passkeyRequired: await store.passkeys.isRequired(organization.id),
  }),
})
