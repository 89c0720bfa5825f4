import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { bundleFields, bundleRevision, BundleSlug, BundleView, bundleView, ownBundle } from './bundle-view.ts'
import { currencyInUse } from './credit-currency.ts'

const { creditCurrency, debitBasis, displayName, interval, maxOverdraftMicros } = bundleFields
const { priceMicros, spendLimitMicros, spendLimitPeriod, terminationPolicy } = bundleFields

export default operation({
  id: 'bundles.edit',
  method: 'PATCH',
  path: '/v1/bundles/{slug}',
  scope: 'application',
  summary: 'Change a bundle',
  description:
    'Fields that are left out stay as they are; null takes a price or a limit away. It holds from the next call on, and never changes what pools were granted before.',
  input: {
    path: { slug: BundleSlug },
    body: z.strictObject({
      displayName: displayName.optional(),
      priceMicros: priceMicros.optional(),
      interval: interval.optional(),
      spendLimitMicros: spendLimitMicros.optional(),
      spendLimitPeriod: spendLimitPeriod.optional(),
      terminationPolicy: terminationPolicy.optional(),
      maxOverdraftMicros: maxOverdraftMicros.optional(),
      debitBasis: debitBasis.optional(),
      creditCurrency: creditCurrency.optional(),
    }),
  },
  output: BundleView,
  errors: ['not_found', 'in_use'],
  async run({ body, path }, context) {
    const { application, store } = context
    const bundle = await ownBundle(path.slug, context)
    if (bundle instanceof Refused) return bundle
    const edited = {
      ...bundle,
      displayName: body.displayName ?? bundle.displayName,
      priceMicros: body.priceMicros === undefined ? bundle.priceMicros : body.priceMicros,
      interval: body.interval ?? bundle.interval,
      spendLimitMicros: body.spendLimitMicros === undefined ? bundle.spendLimitMicros : body.spendLimitMicros,
      spendLimitPeriod: body.spendLimitPeriod ?? bundle.spendLimitPeriod,
      terminationPolicy: body.terminationPolicy ?? bundle.terminationPolicy,
      maxOverdraftMicros: body.maxOverdraftMicros ?? bundle.maxOverdraftMicros,
      debitBasis: body.debitBasis ?? bundle.debitBasis,
      creditCurrency: body.creditCurrency === undefined ? bundle.creditCurrency : body.creditCurrency,
    }
    const clash = await currencyInUse(edited, context)
    if (clash) return clash
    await store.bundles.put(edited)
    await store.applications.raiseVersion(application.id)
    return bundleView(edited, context)
  },
  revision: ({ path }, context) => bundleRevision(path.slug, context),
})
