import { operationOn } from '#operations/operation.ts'
import { ownEmitter } from '#operations/own.ts'
import { EmitterView, emitterView } from './emitter-view.ts'

export default operationOn(ownEmitter, {
  id: 'emitters.show',
  method: 'GET',
  path: '/v1/emitters/{id}',
  summary: 'Show an emitter',
  description:
    'Returns one emitter of either mode, with the state of its deliveries. The secret is never returned.',
  output: EmitterView,
  run: emitterView,
})
