import { idOf } from '#domain/ids-sorted-by-time.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { putValues } from '#operations/kernel/put-fields.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { Slug } from '#operations/kernel/value-and-page-schemas.ts'
import { currencyInUse } from '#operations/bundles/shared/credit-currency-in-use.ts'
import {
  bundlePut,
  BundleView,
  bundleView,
  isBasisChosen,
  NewBundle,
} from '#operations/bundles/shared/bundle-view.ts'
import { bundleWithEtag } from '#operations/bundles/shared/bundle-with-etag.ts'

export default operation({
  id: 'bundles.create',
  method: 'PUT',
  path: '/v1/bundles/{slug}',
  scope: 'application',
  summary: 'Create a bundle',
  description:
    'Creates the bundle with this slug, or changes the fields that are sent for an existing bundle.\n\n- This operation does not change the allowed models, the prices or the included credit. Use `bundles.allow`, `bundles.deny`, `bundles.price` and `bundles.include` to change these parts of a bundle.\n- The first bundle of an application becomes the default for new end users.\n- A new bundle gives access to no model until `bundles.allow` adds one.',
  parameters: { slug: Slug.meta({ description: 'Slug of the bundle.' }) },
  body: NewBundle,
  output: BundleView,
  errors: ['in_use'],
  configures: 'application',
  async run({ body, path }, context) {
    const { application, nowMs, ports, store } = context
    const existing = await store.bundles.bySlug(application.id, path.slug)
    const fields = putValues(bundlePut, body, existing)
    if (fields instanceof Refused) return fields
    const bundle = {
      ...fields,
      isDebitBasisChosen: isBasisChosen(body.debitBasis, existing),
      // A bundle that is created again under the same slug keeps its ID. Otherwise, it would grant the same credit
      // again.
      id:
        existing?.id ??
        (await store.bundles.removedId(application.id, path.slug)) ??
        idOf('bun', ports.newId()),
      applicationId: application.id,
      slug: path.slug,
      allow: existing?.allow ?? [],
      deny: existing?.deny ?? [],
      createdAtMs: existing?.createdAtMs ?? nowMs,
    }
    const clash = await currencyInUse(bundle, existing, context)
    if (clash) return clash
    await store.bundles.put(bundle)
    const isFirst = application.defaultBundleId === null
    if (isFirst) await store.applications.setDefaultBundle(application.id, bundle.id)
    const defaultBundleId = isFirst ? bundle.id : application.defaultBundleId
    return bundleView(bundle, { ...context, application: { ...application, defaultBundleId } })
  },
  revision: ({ path }, context) => bundleWithEtag.revision(path.slug, context),
})
