import { operationOn } from '#operations/operation.ts'
import { ownProvider } from '#operations/own.ts'
import { ProviderView, providerView } from './provider-view.ts'

export default operationOn(ownProvider, {
  id: 'providers.show',
  method: 'GET',
  path: '/v1/providers/{id}',
  isForOneApplication: true,
  summary: 'Show a provider account',
  description: 'One account, by its id or its label. Its API key is never shown.',
  output: ProviderView,
  run: (provider, context) => providerView(provider, context),
})
