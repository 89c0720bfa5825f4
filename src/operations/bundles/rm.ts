import { modeTimes } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { bundleInUse } from '#operations/bundles/shared/bundle-in-use.ts'
import { BundleView, bundleView } from '#operations/bundles/shared/bundle-view.ts'
import { bundleWithEtag } from '#operations/bundles/shared/bundle-with-etag.ts'

export default operationOn(bundleWithEtag, {
  id: 'bundles.rm',
  method: 'DELETE',
  path: '/v1/bundles/{slug}',
  summary: 'Delete a bundle',
  description:
    "Deletes the bundle with its prices and included credit, and returns the deleted bundle.\n\n- If end users are on the bundle, the request returns 409 `in_use` with the number of end users. The default bundle can be deleted only if it is the only bundle.\n- The ledger keeps the grants and payments of the bundle's pools, with the slug of the bundle.\n- A new bundle with the same slug starts empty. For an end user who was once on the deleted bundle, both bundles count as one plan. Credit that is granted once, at sign-up, is not granted to this end user again.",
  output: BundleView,
  errors: ['in_use'],
  configures: 'application',
  async run(bundle, context) {
    const { application, store } = context
    const inUse = await bundleInUse(bundle, context)
    if (inUse) return inUse
    const was = await bundleView(bundle, context)
    await store.bundles.remove(bundle.id, modeTimes(context))
    if (was.default) await store.applications.setDefaultBundle(application.id, null)
    return was
  },
})
