import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { refusedCredentials } from '#operations/providers/shared/rejected-credentials.ts'
import { ProviderView, providerView } from '#operations/providers/shared/provider-view.ts'

export default operation({
  id: 'providers.list',
  method: 'GET',
  path: '/v1/providers',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'List provider accounts',
  description: "Returns the organization's provider accounts, newest first. API keys are never returned.",
  query: pageQuery,
  output: listOf(ProviderView),
  async run({ query }, context) {
    const page = await context.store.providers.list(context.organization.id, pageOf(query))
    const refused = refusedCredentials(context)
    return answerOf(page, (provider) => providerView(provider, context, refused))
  },
})
