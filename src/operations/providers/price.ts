import * as z from 'zod'
import { excessivePrice } from '#operations/kernel/excessive-price-fault.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { PriceSchema, UpstreamModel } from '#operations/kernel/value-and-page-schemas.ts'
import { ProviderView, providerView } from '#operations/providers/shared/provider-view.ts'
import { providerWithEtag } from '#operations/providers/shared/provider-with-etag.ts'

export default operationOn(providerWithEtag, {
  id: 'providers.price',
  method: 'POST',
  path: '/v1/providers/{id}/price',
  leastRole: 'admin',
  summary: 'Set a provider price',
  description:
    "Replaces the whole price of one provider model on this account, starting with the next request. The price overrides the provider's published price. The price applies only to this exact model ID. To remove a price, set `price` to null.\n\nA rate that is omitted is unknown, and does not count as 0. A model name that needs the rate is served only in bundles that set a price for the model name. Until the rate is set, the cost is computed at an assumed rate.",
  body: z.strictObject({
    model: UpstreamModel,
    price: PriceSchema.nullable().meta({
      description: 'Price that the provider charges. Null removes the price set on this account.',
    }),
  }),
  output: ProviderView,
  configures: 'organization',
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
