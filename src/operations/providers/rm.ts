import { operationOn } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { ProviderView, providerView } from '#operations/providers/shared/provider-view.ts'
import { providerWithEtag } from '#operations/providers/shared/provider-with-etag.ts'

export default operationOn(providerWithEtag, {
  id: 'providers.rm',
  method: 'DELETE',
  path: '/v1/providers/{id}',
  leastRole: 'admin',
  summary: 'Disconnect a provider account',
  description:
    'Deletes the account, its API key and its prices, and returns the deleted account. Fails if the account is a source of a model name.',
  output: ProviderView,
  errors: ['in_use'],
  configures: 'organization',
  async run(provider, context) {
    const { providers } = context.store
    const dependents = await providers.dependents(provider.organizationId, provider.id)
    if (dependents.length > 0) {
      const users = `the models ${dependents.slice(0, 8).join(', ')}`
      return refused('in_use', { resource: 'provider account', id: provider.label, users }, 'id')
    }
    const view = await providerView(provider, context)
    await providers.remove(provider.id)
    return view
  },
})
