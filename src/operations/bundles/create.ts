import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import { operation } from '#operations/operation.ts'
import { Slug } from '#operations/schemas.ts'
import { currencyInUse } from './credit-currency.ts'
import { bundleFields, bundleRevision, BundleView, bundleView } from './bundle-view.ts'

export default operation({
  id: 'bundles.create',
  method: 'PUT',
  path: '/v1/bundles/{slug}',
  scope: 'application',
  summary: 'Create a bundle',
  description:
    'Makes the bundle, or replaces the fields below of an existing one; fields left out get their defaults. What it allows, sells and includes has operations of its own and stays. The first bundle of an application becomes the one that new end users get. It reaches no model until `bundles.allow`.',
  input: {
    path: { slug: Slug.meta({ description: 'Slug of the bundle.' }) },
    body: z.strictObject({
      displayName: bundleFields.displayName,
      priceMicros: bundleFields.priceMicros.optional(),
      interval: bundleFields.interval.default('month'),
      spendLimitMicros: bundleFields.spendLimitMicros.optional(),
      spendLimitPeriod: bundleFields.spendLimitPeriod.default('month'),
      terminationPolicy: bundleFields.terminationPolicy.default('hard_token'),
      maxOverdraftMicros: bundleFields.maxOverdraftMicros.optional(),
      debitBasis: bundleFields.debitBasis.default('provider_cost'),
      creditCurrency: bundleFields.creditCurrency.optional(),
    }),
  },
  output: BundleView,
  errors: ['in_use'],
  async run({ body, path }, context) {
    const { application, nowMs, ports, store } = context
    const existing = await store.bundles.bySlug(application.id, path.slug)
    const bundle = {
      id: existing?.id ?? idOf('bun', ports.newId()),
      applicationId: application.id,
      slug: path.slug,
      displayName: body.displayName,
      priceMicros: body.priceMicros ?? null,
      interval: body.interval,
      spendLimitMicros: body.spendLimitMicros ?? null,
      spendLimitPeriod: body.spendLimitPeriod,
      terminationPolicy: body.terminationPolicy,
      maxOverdraftMicros: body.maxOverdraftMicros ?? 0n,
      debitBasis: body.debitBasis,
      creditCurrency:
        body.creditCurrency === undefined ? (existing?.creditCurrency ?? null) : body.creditCurrency,
      allow: existing?.allow ?? [],
      deny: existing?.deny ?? [],
      createdAtMs: existing?.createdAtMs ?? nowMs,
    }
    const clash = await currencyInUse(bundle, context)
    if (clash) return clash
    await store.bundles.put(bundle)
    const isFirst = application.defaultBundleId === null
    if (isFirst) await store.applications.setDefaultBundle(application.id, bundle.id)
    await store.applications.raiseVersion(application.id)
    const defaultBundleId = isFirst ? bundle.id : application.defaultBundleId
    return bundleView(bundle, { ...context, application: { ...application, defaultBundleId } })
  },
  revision: ({ path }, context) => bundleRevision(path.slug, context),
})
