import { operationOn } from '#operations/kernel/declare-operation.ts'
import { EmitterView, emitterView } from '#operations/emitters/shared/emitter-view.ts'
import { emitterWithEtag } from '#operations/emitters/shared/emitter-with-etag.ts'

export default operationOn(emitterWithEtag, {
  id: 'emitters.rm',
  method: 'DELETE',
  path: '/v1/emitters/{id}',
  leastRole: 'admin',
  summary: 'Delete an emitter',
  description:
    'Deletes the emitter with its credential, its deliveries and its waiting events, and returns the deleted emitter. A batch in transit may still arrive. Usage remains on record.',
  output: EmitterView,
  async run(emitter, context) {
    const view = await emitterView(emitter, context)
    await context.store.emitters.remove(emitter.id)
    context.afterCommit(() => context.ports.emitters.changed())
    return view
  },
})
