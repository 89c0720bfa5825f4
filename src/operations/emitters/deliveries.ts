import { operationOn } from '#operations/operation.ts'
import { ownEmitter } from '#operations/own.ts'
import { answerOf, listOf, pageOf, pageQuery, Switch } from '#operations/schemas.ts'
import { DeliveryView, deliveryView } from './emitter-view.ts'

// Deliveries change without an edit, so the ETag does not cover them.
export default operationOn(
  { ...ownEmitter, revision: null },
  {
    id: 'emitters.deliveries',
    method: 'GET',
    path: '/v1/emitters/{id}/deliveries',
    summary: 'List the last deliveries of an emitter',
    description:
      'The last 200 batches, newest first, and what came of each. A batch is in the list within a second after its last attempt. emitters.delivery returns the bodies of a failed one.',
    isExtension: true,
    query: {
      ...pageQuery,
      delivered: Switch.optional().meta({ description: 'Only those that were accepted, or were not.' }),
    },
    output: listOf(DeliveryView),
    run: (emitter, { store }, { query }) =>
      answerOf(store.emitters.deliveries(emitter.id, query.delivered ?? null, pageOf(query)), deliveryView),
  },
)
