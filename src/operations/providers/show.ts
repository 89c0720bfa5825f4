import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ownProvider, ProviderId, providerRevision, ProviderView, providerView } from './provider-view.ts'

export default operation({
  id: 'providers.show',
  method: 'GET',
  path: '/v1/providers/{id}',
  scope: 'organization',
  summary: 'Show a provider account',
  description: 'One account, by its id or its label. Its API key is never shown.',
  input: { path: { id: ProviderId } },
  output: ProviderView,
  errors: ['not_found'],
  async run({ path }, context) {
    const provider = await ownProvider(path.id, context)
    return provider instanceof Refused ? provider : providerView(provider, context)
  },
  async revision({ path }, context) {
    const provider = await ownProvider(path.id, context)
    return providerRevision(provider instanceof Refused ? null : provider, context)
  },
})
