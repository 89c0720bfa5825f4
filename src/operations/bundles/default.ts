import { operationOn } from '#operations/operation.ts'
import { ownBundle } from '#operations/own.ts'
import { BundleView, bundleView } from './bundle-view.ts'

export default operationOn(ownBundle, {
  id: 'bundles.default',
  method: 'POST',
  path: '/v1/bundles/{slug}/default',
  summary: 'Give a bundle to new end users',
  description:
    'End users made from now on get this bundle where none is named. Existing end users stay on theirs.',
  output: BundleView,
  async run(bundle, context) {
    const { application, store } = context
    await store.applications.setDefaultBundle(application.id, bundle.id)
    return bundleView(bundle, { ...context, application: { ...application, defaultBundleId: bundle.id } })
  },
})
