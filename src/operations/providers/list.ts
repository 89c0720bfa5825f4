import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { ProviderView, providerView } from './provider-view.ts'

export default operation({
  id: 'providers.list',
  method: 'GET',
  path: '/v1/providers',
  scope: 'organization',
  summary: 'List provider accounts',
  description: "The organization's accounts, newest first. API keys are never shown.",
  input: { query: pageQuery },
  output: listOf(ProviderView),
  errors: [],
  async run({ query }, context) {
    const { next, rows } = await context.store.providers.list(context.organization.id, pageOf(query))
    const views = await Promise.all(rows.map((provider) => providerView(provider, context)))
    return answerOf({ rows: views, next }, (view) => view)
  },
})
