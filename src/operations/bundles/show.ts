import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { bundleRevision, BundleSlug, BundleView, bundleView, ownBundle } from './bundle-view.ts'

export default operation({
  id: 'bundles.show',
  method: 'GET',
  path: '/v1/bundles/{slug}',
  scope: 'application',
  summary: 'Show a bundle',
  description: 'One bundle with what it allows, sells and includes.',
  input: { path: { slug: BundleSlug } },
  output: BundleView,
  errors: ['not_found'],
  async run({ path }, context) {
    const bundle = await ownBundle(path.slug, context)
    return bundle instanceof Refused ? bundle : bundleView(bundle, context)
  },
  revision: ({ path }, context) => bundleRevision(path.slug, context),
})
