import * as z from 'zod'
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
    'Replaces the price of one upstream model on this account, matched exactly, from the next call on: all of it, the one that its provider publishes too; `null` takes it back. A rate that is left out is unknown, never 0: names that need it are not served until it is known.',
  body: z.strictObject({
    model: UpstreamModel,
    price: PriceSchema.nullable().meta({
      description: 'What the provider charges; null removes what was set here.',
    }),
  }),
  output: ProviderView,
  changes: 'organization',
  async run(provider, context, { body }) {
    const { providers } = context.store
    await (body.price === null
      ? providers.removePrice(provider.id, body.model)
      : providers.setPrice(provider.id, body.model, body.price, context.nowMs))
    return providerView(provider, context)
  },
})
