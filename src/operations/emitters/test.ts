import * as z from 'zod'
import { usageRecorded } from '#domain/emitter-kinds.ts'
import { idOf } from '#domain/id.ts'
import { operationOn } from '#operations/operation.ts'
import { ownEmitter } from '#operations/own.ts'
import { Count, Micros, Timestamp } from '#operations/schemas.ts'
import { EmitterKindSchema } from './emitter-view.ts'
import { sampleEvent } from './sample-event.ts'

const EmitterTest = z
  .object({
    emitterId: z.string().meta({ description: 'Id of the emitter, `emt_…`.' }),
    kind: EmitterKindSchema,
    destination: z.string().meta({ description: 'URL that it was posted to.' }),
    event: z.literal(usageRecorded).meta({ description: 'The event.' }),
    idempotencyKey: z.string().meta({ description: 'Key of the event: its usage record id.' }),
    batchId: z.string().nullable().meta({
      description: 'Key of the delivery, `usgb_…`; null: the server stops, and it was given up.',
    }),
    sample: z
      .object({
        usageRecordId: z.string().meta({ description: 'An id of its own, `ur_…`; no record has it.' }),
        customerId: z.string().meta({ description: 'The organization’s id: the sample has no person.' }),
        requestId: z.string().meta({ description: 'An id of its own, `req_…`; no request has it.' }),
        provider: z.string().meta({ description: 'Of the sample.' }),
        model: z.string().meta({ description: 'Of the sample.' }),
        streamed: z.boolean().meta({ description: 'Of the sample.' }),
        inputTokens: Count.meta({ description: 'Of the sample.' }),
        outputTokens: Count.meta({ description: 'Of the sample.' }),
        billedAmountMicros: Micros.meta({ description: 'Of the sample, in micros.' }),
      })
      .meta({ description: 'What was delivered.' }),
    delivered: z.boolean().meta({ description: 'Whether it was accepted.' }),
    status: z.int().nullable().meta({
      description: 'HTTP status of the last attempt; null: no answer came.',
    }),
    attempts: Count.meta({ description: 'Attempts, up to 3.' }),
    reason: z.string().nullable().meta({ description: 'Why it was not accepted; null: it was.' }),
    latencyMs: Count.meta({ description: 'Milliseconds from the first attempt to the end of the last one.' }),
    sentAt: Timestamp.meta({ description: 'When the first attempt began.' }),
  })
  .meta({ id: 'EmitterTest', description: 'What came of a sample delivery.' })

// The test changes nothing that the ETag covers.
export default operationOn(
  { ...ownEmitter, revision: null },
  {
    id: 'emitters.test',
    method: 'POST',
    path: '/v1/emitters/{id}/test',
    summary: 'Deliver a sample',
    description:
      'Delivers one sample of `usage.recorded` with a usage record id of its own, filed under the organization, as every batch is delivered: in up to three attempts of up to 10 s each. A disabled emitter can be tested too. A billing vendor takes the sample for usage of a customer with the organization’s id.',
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
        reason: delivery === null ? 'the server stops' : delivery.failure,
        latencyMs: delivery?.latencyMs ?? 0,
        sentAt: delivery?.createdAtMs ?? nowMs,
      }
    },
  },
)
