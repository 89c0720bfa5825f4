import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { bundleRevision, BundleSlug, BundleView, bundleView, ownBundle } from './bundle-view.ts'

export default operation({
  id: 'bundles.default',
  method: 'POST',
  path: '/v1/bundles/{slug}/default',
  scope: 'application',
  summary: 'Give a bundle to new end users',
  description: 'End users made from now on get this bundle where none is named. Nobody is moved.',
  input: { path: { slug: BundleSlug } },
  output: BundleView,
  errors: ['not_found'],
  async run({ path }, context) {
    const { application, store } = context
    const bundle = await ownBundle(path.slug, context)
    if (bundle instanceof Refused) return bundle
    await store.applications.setDefaultBundle(application.id, bundle.id)
    return bundleView(bundle, { ...context, application: { ...application, defaultBundleId: bundle.id } })
  },
  revision: ({ path }, context) => bundleRevision(path.slug, context),
})
