import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { TokenView, tokenView } from '#operations/tokens/token-view.ts'

export default operation({
  id: 'auth.token',
  method: 'GET',
  path: '/v1/auth/token',
  scope: 'organization',
  summary: 'Show the token in use',
  description: 'The token of this request, and the application that it made active.',
  output: TokenView.extend({
    activeApplication: z
      .string()
      .nullable()
      .meta({ description: 'Slug of the application that `apps.use` made active; null: none.' }),
  }),
  async run(_, { organization, store, token }) {
    const active =
      token.activeApplicationId === null
        ? null
        : await store.applications.byId(organization.id, token.activeApplicationId)
    return { ...tokenView(token), activeApplication: active?.slug ?? null }
  },
})
