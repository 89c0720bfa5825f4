import { operationOn } from '#operations/kernel/operation.ts'
import { ownKey } from '#operations/kernel/owned-resources.ts'
import { KeyView, keyView } from './key-view.ts'

export default operationOn(ownKey, {
  id: 'keys.show',
  method: 'GET',
  path: '/v1/keys/{id}',
  summary: 'Show a key',
  description: 'Returns a key without its secret.',
  output: KeyView,
  run: keyView,
})
