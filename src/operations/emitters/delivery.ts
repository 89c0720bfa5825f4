import * as z from 'zod'
import { deliveryBodyDays, deliveryBodyMax } from '#domain/emitters/emitter-records-and-ports.ts'
import { suffixOf } from '#domain/ids-sorted-by-time.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEmitter } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { DeliveryView, deliveryView } from '#operations/emitters/shared/emitter-view.ts'

const DeliveryDetail = DeliveryView.extend({
  requestBody: z
    .string()
    .nullable()
    .meta({
      description: `Beginning of the posted body, at most ${deliveryBodyMax.request} characters. Null if the batch was accepted or was sent more than ${deliveryBodyDays} days ago. The body never contains a prompt or a completion.`,
    }),
  responseBody: z
    .string()
    .nullable()
    .meta({
      description: `Beginning of the response of the last attempt, at most ${deliveryBodyMax.response} characters. Null if no response came, if the batch was accepted, or if the batch was sent more than ${deliveryBodyDays} days ago.`,
    }),
}).meta({ id: 'EmitterDeliveryDetail', description: 'A delivery with the bodies of a failed attempt.' })

// The ETag does not cover deliveries, which do not change the emitter's settings.
export default operationOn(ownEmitter, {
  id: 'emitters.delivery',
  method: 'GET',
  path: '/v1/emitters/{id}/deliveries/{batchId}',
  summary: 'Show a delivery',
  description:
    'Returns one of the last 200 deliveries of an emitter. A failed delivery includes the posted body and the response.',
  isExtension: true,
  parameters: { batchId: text(64).meta({ description: 'ID of the batch, `usgb_…`.' }) },
  output: DeliveryDetail,
  async run(emitter, { nowMs, store }, { path }) {
    const id = suffixOf('usgb', path.batchId)
    const found = id === null ? null : await store.emitters.delivery(emitter.id, id)
    if (found === null) return refused('not_found', { resource: 'delivery', id: path.batchId }, 'batchId')
    const isKept = found.createdAtMs >= nowMs - deliveryBodyDays * dayMs
    return {
      ...deliveryView(found),
      requestBody: isKept ? found.requestBody : null,
      responseBody: isKept ? found.responseBody : null,
    }
  },
})
