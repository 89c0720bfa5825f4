import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { TokenView, tokenView } from '#operations/tokens/shared/token-view.ts'

export default operation({
  id: 'auth.token',
  method: 'GET',
  path: '/v1/auth/token',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'Show the token in use',
  description:
    'Returns the token of this request and its active application. If the request uses a session instead, use `sessions.current`.',
  output: TokenView.extend({
    activeApplication: z.string().nullable().meta({
      description: 'Slug of the active application, set with `apps.use`. Null if no application is active.',
    }),
  }),
  errors: ['no_token_in_use'],
  async run(_, { actor, organization, store }) {
    if (actor.kind !== 'token') return refused('no_token_in_use')
    const active =
      actor.activeApplicationId === null
        ? null
        : await store.applications.byId(organization.id, actor.activeApplicationId)
    return { ...tokenView(actor.token), activeApplication: active?.slug ?? null }
  },
})
