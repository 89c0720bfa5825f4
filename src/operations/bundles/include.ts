import * as z from 'zod'
import { nextByRank } from '#money/sources.ts'
import { operationOn } from '#operations/operation.ts'
import { ownBundle } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { IncludeView, includeView } from './bundle-view.ts'
import { plainCurrency } from './credit-currency-in-use.ts'
import { unknownPattern } from './patterns.ts'

const { amount, displayName, models, price, recurring, slug, spilloverTo, thenOnDemand, unit } =
  IncludeView.shape

export default operationOn(ownBundle, {
  id: 'bundles.include',
  method: 'POST',
  path: '/v1/bundles/{slug}/include',
  summary: 'Set what a subscription grants',
  description:
    'Adds the include or replaces the one of that slug. People on the bundle get it with their next period, or with their next call where they had none of that slug; pools granted before stay as they were granted. All credits of a bundle are in its one currency, which is called `credits` until it is named.',
  body: z.strictObject({
    slug: slug.meta({ description: 'Slug of the include and of its pools.' }),
    displayName,
    unit,
    amount,
    price: price.default(null),
    thenOnDemand: thenOnDemand.default(true),
    recurring: recurring.default(true),
    spilloverTo: spilloverTo.default(nextByRank),
    models: models.default(null),
  }),
  output: IncludeView,
  errors: ['unknown_model_pattern'],
  changes: 'application',
  async run(bundle, context, { body }) {
    const { store } = context
    const unknown = await unknownPattern(body.models ?? [], context)
    if (unknown) return unknown
    if (body.spilloverTo === body.slug) {
      return refused('invalid_request', { reason: 'spilloverTo names the include itself.' }, 'spilloverTo')
    }
    const others = await store.bundles.includes(bundle.id)
    const named = body.spilloverTo === nextByRank ? null : body.spilloverTo
    if (named !== null && !others.some((other) => other.slug === named)) {
      return refused('not_found', { resource: 'include', id: named }, 'spilloverTo')
    }
    const { price: priceMicros, ...fields } = body
    const include = { ...fields, priceMicros }
    if (body.unit === 'credits' && bundle.creditCurrency === null) {
      await store.bundles.put({ ...bundle, creditCurrency: plainCurrency })
    }
    await store.bundles.putInclude(bundle.id, include)
    return includeView(include)
  },
})
