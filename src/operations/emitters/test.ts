import * as z from 'zod'
import { usageRecorded } from '#domain/emitters/emitter-kinds.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEmitter } from '#operations/kernel/find-resources-of-caller.ts'
import { Count, Micros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { EmitterKindSchema } from '#operations/emitters/shared/emitter-view.ts'
import { sampleEvent } from '#operations/emitters/shared/sample-usage-event.ts'

const EmitterTest = z
  .object({
    emitterId: z.string().meta({ description: 'ID of the emitter, `emt_…`.' }),
    kind: EmitterKindSchema,
    destination: z.string().meta({ description: 'URL that the sample was posted to.' }),
    event: z.literal(usageRecorded).meta({ description: 'Event that was delivered.' }),
    idempotencyKey: z
      .string()
      .meta({ description: 'Idempotency key of the event, which is its usage record ID.' }),
    batchId: z.string().nullable().meta({
      description:
        'ID of the batch, `usgb_…`. Null if the delivery was canceled because the server is stopping.',
    }),
    sample: z
      .object({
        usageRecordId: z
          .string()
          .meta({ description: 'ID of the sample, `ur_…`. No usage record has this ID.' }),
        customerId: z
          .string()
          .meta({ description: 'ID of the organization, because the sample has no end user.' }),
        requestId: z
          .string()
          .meta({ description: 'Request ID of the sample, `req_…`. No request has this ID.' }),
        provider: z.string().meta({ description: 'Provider of the sample.' }),
        model: z.string().meta({ description: 'Model of the sample.' }),
        streamed: z.boolean().meta({ description: 'Whether the response of the sample was streamed.' }),
        inputTokens: Count.meta({ description: 'Input tokens of the sample.' }),
        outputTokens: Count.meta({ description: 'Output tokens of the sample.' }),
        billedAmountMicros: Micros.meta({ description: 'Billed amount of the sample, in micros.' }),
      })
      .meta({ description: 'Sample that was delivered.' }),
    delivered: z.boolean().meta({ description: 'Whether the sample was accepted.' }),
    status: z.int().nullable().meta({
      description: 'HTTP status of the last attempt. Null if no response came.',
    }),
    attempts: Count.meta({ description: 'Number of attempts, at most 3.' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Reason why the sample was not accepted. Null if the sample was accepted.' }),
    latencyMs: Count.meta({
      description: 'Time from the start of the first attempt to the end of the last one, in milliseconds.',
    }),
    sentAt: Timestamp.meta({ description: 'When the first attempt started.' }),
  })
  .meta({ id: 'EmitterTest', description: 'The result of a sample delivery.' })

// A test changes nothing that the ETag covers.
export default operationOn(ownEmitter, {
  id: 'emitters.test',
  method: 'POST',
  path: '/v1/emitters/{id}/test',
  summary: 'Deliver a sample event',
  description:
    'Delivers one sample event `usage.recorded` with a new usage record ID. The customer ID of the sample is the ID of the organization, so a billing vendor records the sample as usage of this customer. The sample is sent in up to three attempts of up to 10 s each. A disabled emitter receives the sample too.',
  output: EmitterTest,
  runsOutside: true,
  async run(emitter, { nowMs, organization, ports }) {
    const event = sampleEvent(ports.newId(), nowMs)
    const delivery = await ports.emitters.deliverSample(
      { ...emitter, organizationId: organization.id },
      event,
    )
    const usageRecordId = idOf('ur', event.callId)
    return {
      emitterId: emitter.id,
      kind: emitter.kind,
      destination: emitter.destination,
      event: usageRecorded,
      idempotencyKey: usageRecordId,
      batchId: delivery && idOf('usgb', delivery.id),
      sample: {
        usageRecordId,
        customerId: organization.id,
        requestId: idOf('req', event.callId),
        provider: event.target.provider,
        model: event.target.model,
        streamed: event.streamed,
        inputTokens: event.inputTokens,
        outputTokens: event.usage.output,
        billedAmountMicros: event.billedMicros,
      },
      delivered: delivery?.isDelivered ?? false,
      status: delivery?.httpStatus ?? null,
      attempts: delivery?.attempts ?? 0,
      reason: delivery === null ? 'the server is stopping' : delivery.failure,
      latencyMs: delivery?.latencyMs ?? 0,
      sentAt: delivery?.createdAtMs ?? nowMs,
    }
  },
})
