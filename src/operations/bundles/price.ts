import * as z from 'zod'
import { soldDimensions } from '#domain/sold-dimensions.ts'
import { missingDimensions, type Price } from '#money/price.ts'
import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { AliasName, PriceSchema } from '#operations/schemas.ts'
import { bundleRevision, BundleSlug, BundleView, bundleView, ownBundle } from './bundle-view.ts'

export default operation({
  id: 'bundles.price',
  method: 'POST',
  path: '/v1/bundles/{slug}/price',
  scope: 'application',
  summary: 'Price one model in a bundle',
  description:
    'Sets what the bundle sells a model at, and what it costs in credits, each replaced whole: left out stays, null goes. A price names `input` and `output` at least; 0 must be said. Where the provider account has no price the sell price also stands for the cost, so the model is served in this bundle.',
  input: {
    path: { slug: BundleSlug },
    body: z.strictObject({
      model: AliasName.meta({ description: 'The model name, exactly.' }),
      price: PriceSchema.nullable().optional().meta({ description: 'Sell price; null: sold at cost.' }),
      credits: PriceSchema.nullable()
        .optional()
        .meta({ description: 'Credit price, in millionths of a credit; null: credits cannot pay for it.' }),
    }),
  },
  output: BundleView,
  errors: ['not_found'],
  async run({ body, path }, context) {
    const { application, store } = context
    const bundle = await ownBundle(path.slug, context)
    if (bundle instanceof Refused) return bundle
    if (body.price === undefined && body.credits === undefined) {
      return refused('invalid_request', { reason: 'price or credits is required.' }, 'price')
    }
    const incomplete = lacking(body.price, 'price') ?? lacking(body.credits, 'credits')
    if (incomplete) return incomplete
    if (!(await store.aliases.byName(application.id, body.model))) {
      return refused('not_found', { resource: 'model', id: body.model }, 'model')
    }
    const current = (await store.bundles.prices(bundle.id)).find(({ alias }) => alias === body.model)
    await store.bundles.setPrice(bundle.id, {
      alias: body.model,
      price: body.price === undefined ? (current?.price ?? null) : body.price,
      credits: body.credits === undefined ? (current?.credits ?? null) : body.credits,
    })
    await store.applications.raiseVersion(application.id)
    return bundleView(bundle, context)
  },
  revision: ({ path }, context) => bundleRevision(path.slug, context),
})

function lacking(price: Price | null | undefined, param: string): Refused<'invalid_request'> | null {
  const missing = price ? missingDimensions(price, soldDimensions) : []
  if (missing.length === 0) return null
  return refused(
    'invalid_request',
    { reason: `${param} has no rate for ${missing.join(', ')}; 0 must be said.` },
    param,
  )
}
