import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { PriceSchema, UpstreamModel } from '#operations/schemas.ts'
import { ownProvider, ProviderId, providerRevision, ProviderView, providerView } from './provider-view.ts'

export default operation({
  id: 'providers.price',
  method: 'POST',
  path: '/v1/providers/{id}/price',
  scope: 'organization',
  summary: 'Set what an account is charged for a model',
  description:
    'Replaces the price of one upstream model on this account, matched exactly, from the next call on: all of it, the one that its provider publishes too; `null` takes it back. A rate that is left out is unknown, never 0: names that need it are not served until it is known.',
  input: {
    path: { id: ProviderId },
    body: z.strictObject({
      model: UpstreamModel,
      price: PriceSchema.nullable().meta({
        description: 'What the provider charges; null removes what was set here.',
      }),
    }),
  },
  output: ProviderView,
  errors: ['not_found'],
  async run({ body, path }, context) {
    const { nowMs, organization, store } = context
    const provider = await ownProvider(path.id, context)
    if (provider instanceof Refused) return provider
    await (body.price === null
      ? store.providers.removePrice(provider.id, body.model)
      : store.providers.setPrice(provider.id, body.model, body.price, nowMs))
    await store.applications.raiseVersions(organization.id)
    return providerView(provider, context)
  },
  async revision({ path }, context) {
    const provider = await ownProvider(path.id, context)
    return providerRevision(provider instanceof Refused ? null : provider, context)
  },
})
