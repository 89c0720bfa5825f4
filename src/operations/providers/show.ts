import { operationOn } from '#operations/operation.ts'
import { ownProvider } from '#operations/own.ts'
import { ProviderView, providerView } from './provider-view.ts'

export default operationOn(ownProvider, {
  id: 'providers.show',
  method: 'GET',
  path: '/v1/providers/{id}',
  isForOneApplication: true,
  summary: 'Show a provider account',
  description: 'Returns a provider account by ID or label. Its API key is never returned.',
  output: ProviderView,
  run: (provider, context) => providerView(provider, context),
})
