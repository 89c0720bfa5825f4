import * as z from 'zod'
import { modelsOfName } from '#domain/prices/price-dimensions-required-in-bundle.ts'
import { namesLedTo } from '#domain/router-records.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { excessivePrice } from '#operations/kernel/excessive-price-fault.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownModel } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { AliasName, PriceSchema } from '#operations/kernel/value-and-page-schemas.ts'
import { bundleFields, BundleView, bundleView } from '#operations/bundles/shared/bundle-view.ts'
import { incompletePrice } from '#operations/bundles/shared/incomplete-price-fault.ts'
import { bundleWithEtag } from '#operations/bundles/shared/bundle-with-etag.ts'

export default operationOn(bundleWithEtag, {
  id: 'bundles.price',
  method: 'POST',
  path: '/v1/bundles/{slug}/price',
  summary: 'Set the price of a model',
  description:
    'Sets the sell price and the credit price of one model in the bundle.\n\n- If a price is omitted, the stored price is kept. Null removes the stored price. A price in the request replaces the whole stored price.\n- A price needs at least `input` and `output`. Models for embeddings or moderation need only `input`. Set a free rate to 0 explicitly.\n- If the price of the provider account has no rate for a kind of usage, the model is still served in this bundle. The known rates apply, and the cost of units without a rate is computed at assumed rates (`assumedMicros`).\n- If the bundle has a sell price but `debitBasis` was never set, end users are charged the provider cost instead of the sell price. The response then has the warning `debit_basis_not_set`.',
  body: z.strictObject({
    model: AliasName.meta({ description: 'Exact name of the model or router.' }),
    price: z
      .exactOptional(PriceSchema.nullable())
      .meta({ description: 'Sell price. Null means that the model is sold at the provider cost.' }),
    credits: z.exactOptional(PriceSchema.nullable()).meta({
      description: 'Price in millionths of a credit. Null means that credits cannot pay for the model.',
    }),
    debitBasis: z.exactOptional(bundleFields.debitBasis).meta({
      description:
        'Price that end users are charged for all models of the bundle: `sell_price` or `provider_cost`. Omit to keep the current value.',
    }),
  }),
  output: BundleView,
  configures: 'application',
  async run(bundle, context, { body: { debitBasis, model, ...set } }) {
    const { bundles } = context.store
    if (set.price === undefined && set.credits === undefined) {
      return refused('invalid_request', { reason: 'price or credits is required.' }, 'price')
    }
    const models = await modelsOf(model, context)
    const incomplete =
      incompletePrice(set.price, 'price', models) ?? incompletePrice(set.credits, 'credits', models)
    if (incomplete) return incomplete
    const excessive = excessivePrice(set.price, 'price') ?? excessivePrice(set.credits, 'credits')
    if (excessive) return excessive
    const isRouter = (await context.store.routers.byName(bundle.applicationId, model)) !== null
    const alias = isRouter ? null : await ownModel.find(model, context, 'model')
    if (alias instanceof Refused) return alias
    const current = (await bundles.prices(bundle.id)).find((price) => price.alias === model)
    await bundles.setPrice(bundle.id, { price: null, credits: null, ...current, alias: model, ...set })
    if (debitBasis === undefined) return bundleView(bundle, context)
    const decided = { ...bundle, debitBasis, isDebitBasisChosen: true }
    await bundles.put(decided)
    return bundleView(decided, context)
  },
})

async function modelsOf(
  name: string,
  { application, store }: ApplicationContext,
): Promise<readonly string[]> {
  const aliases = await store.aliases.all(application.id)
  const routers = await store.routers.all(application.id)
  return modelsOfName(name, (one) => {
    const alias = aliases.find((each) => each.name === one)
    if (alias) return { models: alias.sources.map(({ model }) => model), names: [] }
    const router = routers.find((each) => each.name === one)
    return router === undefined
      ? null
      : {
          models: router.targets.flatMap(({ to }) => (to.kind === 'source' ? [to.model] : [])),
          names: [...namesLedTo(router, 'alias'), ...namesLedTo(router, 'router')],
        }
  })
}
