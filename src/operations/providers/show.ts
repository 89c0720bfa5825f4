import { operationOn } from '#operations/kernel/operation.ts'
import { ProviderView, providerView } from './provider-view.ts'
import { editableProvider } from './editable-provider.ts'

export default operationOn(editableProvider, {
  id: 'providers.show',
  method: 'GET',
  path: '/v1/providers/{id}',
  isForOneApplication: true,
  summary: 'Show a provider account',
  description: 'Returns a provider account by ID or label. The API key is never returned.',
  output: ProviderView,
  run: (provider, context) => providerView(provider, context),
})
