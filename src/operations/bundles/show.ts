import { operationOn } from '#operations/kernel/declare-operation.ts'
import { BundleView, bundleView } from '#operations/bundles/shared/bundle-view.ts'
import { bundleWithEtag } from '#operations/bundles/shared/bundle-with-etag.ts'

export default operationOn(bundleWithEtag, {
  id: 'bundles.show',
  method: 'GET',
  path: '/v1/bundles/{slug}',
  summary: 'Show a bundle',
  description: 'Returns one bundle with its patterns, prices and included credit.',
  output: BundleView,
  run: bundleView,
})
