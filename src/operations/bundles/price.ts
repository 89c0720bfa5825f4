import * as z from 'zod'
import { excessivePrice } from '#operations/excessive-price.ts'
import { operationOn } from '#operations/operation.ts'
import { ownBundle, ownModel } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { AliasName, PriceSchema } from '#operations/schemas.ts'
import { BundleView, bundleView } from './bundle-view.ts'
import { incompletePrice } from './incomplete-price.ts'

export default operationOn(ownBundle, {
  id: 'bundles.price',
  method: 'POST',
  path: '/v1/bundles/{slug}/price',
  summary: 'Price one model in a bundle',
  description:
    'Sets what the bundle sells a model at, and what it costs in credits, each replaced whole: left out stays, null goes. A price names `input` and `output` at least; 0 must be said. If the provider account lacks a rate, the model is still served in this bundle: the known rates are kept, and the cost of other units is assumed (`assumedMicros`).',
  body: z.strictObject({
    model: AliasName.meta({ description: 'The name that is asked for, of a model or a router, exactly.' }),
    price: z.exactOptional(PriceSchema.nullable()).meta({ description: 'Sell price; null: sold at cost.' }),
    credits: z
      .exactOptional(PriceSchema.nullable())
      .meta({ description: 'Credit price, in millionths of a credit; null: credits cannot pay for it.' }),
  }),
  output: BundleView,
  changes: 'application',
  async run(bundle, context, { body: { model, ...set } }) {
    const { bundles } = context.store
    if (set.price === undefined && set.credits === undefined) {
      return refused('invalid_request', { reason: 'price or credits is required.' }, 'price')
    }
    const incomplete = incompletePrice(set.price, 'price') ?? incompletePrice(set.credits, 'credits')
    if (incomplete) return incomplete
    const excessive = excessivePrice(set.price, 'price') ?? excessivePrice(set.credits, 'credits')
    if (excessive) return excessive
    const isRouter = (await context.store.routers.byName(bundle.applicationId, model)) !== null
    const alias = isRouter ? null : await ownModel.find(model, context, 'model')
    if (alias instanceof Refused) return alias
    const current = (await bundles.prices(bundle.id)).find((price) => price.alias === model)
    await bundles.setPrice(bundle.id, { price: null, credits: null, ...current, alias: model, ...set })
    return bundleView(bundle, context)
  },
})
