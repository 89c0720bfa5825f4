import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownKey } from '#operations/kernel/find-resources-of-caller.ts'
import { KeyView, keyView } from '#operations/keys/shared/key-view.ts'

export default operationOn(ownKey, {
  id: 'keys.show',
  method: 'GET',
  path: '/v1/keys/{id}',
  summary: 'Show a key',
  description: 'Returns a key without its secret.',
  output: KeyView,
  run: keyView,
})
