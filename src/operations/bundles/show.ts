import { operationOn } from '#operations/kernel/operation.ts'
import { BundleView, bundleView } from './bundle-view.ts'
import { editableBundle } from './editable-bundle.ts'

export default operationOn(editableBundle, {
  id: 'bundles.show',
  method: 'GET',
  path: '/v1/bundles/{slug}',
  summary: 'Show a bundle',
  description: 'Returns one bundle with its patterns, prices and includes.',
  output: BundleView,
  run: bundleView,
})
