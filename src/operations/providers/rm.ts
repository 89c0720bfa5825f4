import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { ownProvider, ProviderId, providerRevision, ProviderView, providerView } from './provider-view.ts'

export default operation({
  id: 'providers.rm',
  method: 'DELETE',
  path: '/v1/providers/{id}',
  scope: 'organization',
  summary: 'Disconnect a provider account',
  description:
    'Forgets the account, its API key and its prices, and answers what it was. Refused while a model has it among its sources.',
  input: { path: { id: ProviderId } },
  output: ProviderView,
  errors: ['not_found', 'in_use'],
  async run({ path }, context) {
    const { organization, store } = context
    const provider = await ownProvider(path.id, context)
    if (provider instanceof Refused) return provider
    const dependents = await store.providers.dependents(organization.id, provider.id)
    if (dependents.length > 0) {
      const users = `the models ${dependents.slice(0, 8).join(', ')}`
      return refused('in_use', { resource: 'provider account', id: provider.label, users }, 'id')
    }
    const view = await providerView(provider, context)
    await store.providers.remove(provider.id)
    await store.applications.raiseVersions(organization.id)
    return view
  },
  async revision({ path }, context) {
    const provider = await ownProvider(path.id, context)
    return providerRevision(provider instanceof Refused ? null : provider, context)
  },
})
