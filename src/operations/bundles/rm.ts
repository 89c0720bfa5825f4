import { modeTimes } from '#operations/mode-time.ts'
import { operationOn } from '#operations/operation.ts'
import { ownBundle } from '#operations/own.ts'
import { bundleInUse } from './bundle-in-use.ts'
import { BundleView, bundleView } from './bundle-view.ts'

export default operationOn(ownBundle, {
  id: 'bundles.rm',
  method: 'DELETE',
  path: '/v1/bundles/{slug}',
  summary: 'Remove a bundle',
  description:
    'Forgets the bundle with its prices and includes, and answers what it was. Refused while people are on it, saying how many, and for the default bundle unless it is the only one. What its pools have granted and paid stays on the ledger under its slug. A bundle that is made again under the slug begins anew, except that it is the same plan to whoever was on it: a sign-up include is not granted twice.',
  output: BundleView,
  errors: ['in_use'],
  changes: 'application',
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
