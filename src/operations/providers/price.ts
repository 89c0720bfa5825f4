import * as z from 'zod'
import { excessivePrice } from '#operations/excessive-price.ts'
import { operationOn } from '#operations/operation.ts'
import { ownProvider } from '#operations/own.ts'
import { PriceSchema, UpstreamModel } from '#operations/schemas.ts'
import { ProviderView, providerView } from './provider-view.ts'

export default operationOn(ownProvider, {
  id: 'providers.price',
  method: 'POST',
  path: '/v1/providers/{id}/price',
  leastRole: 'admin',
  summary: 'Set what an account is charged for a model',
  description:
    'Replaces the whole price of one upstream model on this account, matched exactly, including the price that its provider publishes. `null` removes it. Takes effect with the next request. An omitted rate is unknown, never 0: names that need it are served only in bundles that price them, and the cost of its units is assumed until it is set.',
  body: z.strictObject({
    model: UpstreamModel,
    price: PriceSchema.nullable().meta({
      description: 'What the provider charges; null removes what was set here.',
    }),
  }),
  output: ProviderView,
  changes: 'organization',
  async run(provider, context, { body }) {
    const excessive = excessivePrice(body.price, 'price')
    if (excessive) return excessive
    const { providers } = context.store
    await (body.price === null
      ? providers.removePrice(provider.id, body.model)
      : providers.setPrice(provider.id, body.model, body.price, context.nowMs))
    return providerView(provider, context)
  },
})
