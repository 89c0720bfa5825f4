import { operationOn } from '#operations/kernel/declare-operation.ts'
import { EmitterView, emitterView } from '#operations/emitters/shared/emitter-view.ts'
import { emitterWithEtag } from '#operations/emitters/shared/emitter-with-etag.ts'

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
