import { operationOn } from '#operations/operation.ts'
import { ownEmitter } from '#operations/own.ts'
import { EmitterView, emitterView } from './emitter-view.ts'

export default operationOn(ownEmitter, {
  id: 'emitters.rm',
  method: 'DELETE',
  path: '/v1/emitters/{id}',
  leastRole: 'admin',
  summary: 'Remove an emitter',
  description:
    'Stops delivery and forgets the credential, its deliveries and what waits for it, and answers what it was. A batch under way may still arrive. Usage stays recorded.',
  output: EmitterView,
  async run(emitter, context) {
    const view = await emitterView(emitter, context)
    await context.store.emitters.remove(emitter.id)
    context.afterCommit(() => context.ports.emitters.changed())
    return view
  },
})
