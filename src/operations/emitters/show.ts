import { operationOn } from '#operations/operation.ts'
import { ownEmitter } from '#operations/own.ts'
import { EmitterView, emitterView } from './emitter-view.ts'

export default operationOn(ownEmitter, {
  id: 'emitters.show',
  method: 'GET',
  path: '/v1/emitters/{id}',
  summary: 'Show an emitter',
  description: 'One emitter, of either mode, and how its deliveries go. Its secret is never shown.',
  output: EmitterView,
  run: emitterView,
})
