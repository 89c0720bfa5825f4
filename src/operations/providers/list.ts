import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { ProviderView, providerView } from './provider-view.ts'

export default operation({
  id: 'providers.list',
  method: 'GET',
  path: '/v1/providers',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'List provider accounts',
  description: "The organization's accounts, newest first. API keys are never shown.",
  query: pageQuery,
  output: listOf(ProviderView),
  run: ({ query }, context) =>
    answerOf(context.store.providers.list(context.organization.id, pageOf(query)), (provider) =>
      providerView(provider, context),
    ),
})
