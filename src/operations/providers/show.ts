import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ProviderView, providerView } from '#operations/providers/shared/provider-view.ts'
import { providerWithEtag } from '#operations/providers/shared/provider-with-etag.ts'

export default operationOn(providerWithEtag, {
  id: 'providers.show',
  method: 'GET',
  path: '/v1/providers/{id}',
  isForOneApplication: true,
  summary: 'Show a provider account',
  description: 'Returns a provider account by ID or label. The API key is never returned.',
  output: ProviderView,
  run: (provider, context) => providerView(provider, context),
})
