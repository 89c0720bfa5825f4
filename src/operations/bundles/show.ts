import { operationOn } from '#operations/operation.ts'
import { ownBundle } from '#operations/own.ts'
import { BundleView, bundleView } from './bundle-view.ts'

export default operationOn(ownBundle, {
  id: 'bundles.show',
  method: 'GET',
  path: '/v1/bundles/{slug}',
  summary: 'Show a bundle',
  description: 'Returns one bundle with its patterns, prices and includes.',
  output: BundleView,
  run: bundleView,
})
