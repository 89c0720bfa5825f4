import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEmitter } from '#operations/kernel/find-resources-of-caller.ts'
import { answerOf, listOf, pageOf, pageQuery, Switch } from '#operations/kernel/value-and-page-schemas.ts'
import { DeliveryView, deliveryView } from '#operations/emitters/shared/emitter-view.ts'

// The ETag does not cover deliveries, which do not change the emitter's settings.
export default operationOn(ownEmitter, {
  id: 'emitters.deliveries',
  method: 'GET',
  path: '/v1/emitters/{id}/deliveries',
  summary: 'List deliveries',
  description:
    'Returns the last 200 batches of an emitter with their results, newest first. A batch is listed within one second after its last attempt. `emitters.delivery` returns the bodies of a failed batch.',
  isExtension: true,
  query: {
    ...pageQuery,
    delivered: Switch.optional().meta({
      description:
        'Whether to return only accepted batches (`true`) or only batches that were not accepted (`false`). Omit to return all batches.',
    }),
  },
  output: listOf(DeliveryView),
  run: (emitter, { store }, { query }) =>
    answerOf(store.emitters.deliveries(emitter.id, query.delivered ?? null, pageOf(query)), deliveryView),
})
