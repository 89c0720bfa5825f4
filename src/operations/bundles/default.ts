import { operationOn } from '#operations/kernel/declare-operation.ts'
import { BundleView, bundleView } from '#operations/bundles/shared/bundle-view.ts'
import { bundleWithEtag } from '#operations/bundles/shared/bundle-with-etag.ts'

export default operationOn(bundleWithEtag, {
  id: 'bundles.default',
  method: 'POST',
  path: '/v1/bundles/{slug}/default',
  summary: 'Make a bundle the default',
  description:
    'Makes the bundle the default. New end users get the default bundle, unless the request that creates the end user sets another bundle. Existing end users keep their bundle.',
  output: BundleView,
  async run(bundle, context) {
    const { application, store } = context
    await store.applications.setDefaultBundle(application.id, bundle.id)
    return bundleView(bundle, { ...context, application: { ...application, defaultBundleId: bundle.id } })
  },
})
