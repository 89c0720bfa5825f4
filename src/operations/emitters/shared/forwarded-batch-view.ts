import * as z from 'zod'
import type { SignedBatch } from '#domain/emitters/emitter-records-and-ports.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { Count } from '#operations/kernel/value-and-page-schemas.ts'

/** The client forwards the signed batch to a receiver that this server cannot reach. */
export const ForwardedBatch = z
  .object({
    batchId: z.string().meta({ description: 'ID of the batch, `usgb_…`.' }),
    events: Count.meta({ description: 'Number of events in the batch.' }),
    usageRecordIds: z.array(z.string()).meta({ description: 'Usage records of the events, `ur_…`.' }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Headers to send with the body, including the signature.' }),
    body: z.string().meta({ description: 'Body to send. The signature covers this exact text.' }),
    signingSecret: z.string().meta({
      description:
        'Secret that signs the batches of `emitters.listen` and `emitters.sample` for this application and mode, `whsec_…`. Deliveries to emitters use other secrets.',
    }),
  })
  .meta({ id: 'ForwardedBatch', description: 'A signed batch of usage events, as a webhook receives it.' })

export function forwardedBatch({
  body,
  callIds,
  headers,
  id,
  signingSecret,
}: SignedBatch): z.output<typeof ForwardedBatch> {
  return {
    batchId: idOf('usgb', id),
    events: callIds.length,
    usageRecordIds: callIds.map((callId) => idOf('ur', callId)),
    headers: { ...headers },
    body,
    signingSecret,
  }
}
