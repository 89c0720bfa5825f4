import { operationOn } from '#operations/kernel/operation.ts'
import { EmitterView, emitterView } from './emitter-view.ts'
import { emitterWithEtag } from './emitter-with-etag.ts'

export default operationOn(emitterWithEtag, {
  id: 'emitters.show',
  method: 'GET',
  path: '/v1/emitters/{id}',
  summary: 'Show an emitter',
  description:
    'Returns one emitter of either mode, with the state of its deliveries. The secret is never returned.',
  output: EmitterView,
  run: emitterView,
})
