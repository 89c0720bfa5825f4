import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import type { CallRecord } from '#domain/records.ts'
import { Micros, Timestamp } from '#operations/schemas.ts'

export const CallStatusSchema = z.enum(['settled', 'released', 'refused', 'recovered', 'in_flight']).meta({
  description:
    '`settled`: charged; `released`: nothing was done and nothing charged; `refused`: never sent; `recovered`: settled after a crash; `in_flight`: not ended.',
})

export const RequestView = z
  .object({
    id: z.string().meta({ description: 'Id of the call, `req_…`, as its answer carried it.' }),
    status: CallStatusSchema,
    endUserId: z
      .string()
      .nullable()
      .meta({ description: "The customer's own id of the person; null: not known." }),
    keyId: z.string().nullable().meta({ description: 'The key it came with; null: none that is known.' }),
    requestedModel: z.string().nullable().meta({ description: 'The requested model name.' }),
    wire: z
      .string()
      .nullable()
      .meta({ description: 'The wire format that it came in; null while in flight.' }),
    streamed: z.boolean().nullable().meta({ description: 'Whether it was streamed; null while in flight.' }),
    httpStatus: z.int().nullable().meta({ description: 'Status of the answer; null while in flight.' }),
    errorCode: z.string().nullable().meta({ description: 'Code of the failure or refusal; null: none.' }),
    chargeMicros: Micros.meta({ description: 'What left pools, wallet or on-demand for it, in micros.' }),
    overHoldMicros: Micros.meta({
      description:
        'What was used beyond what was held for it: neither charged nor billed, the cost of the application.',
    }),
    latencyMs: z
      .int()
      .nullable()
      .meta({ description: 'From the first byte of the request to the last of the answer.' }),
    firstByteMs: z.int().nullable().meta({ description: 'To the first byte of the answer.' }),
    createdAt: Timestamp.meta({ description: 'Time of the request.' }),
  })
  .meta({ id: 'Request', description: 'How a gateway call went.' })

export function requestView(call: CallRecord): z.output<typeof RequestView> {
  return {
    id: idOf('req', call.callId),
    status: call.status,
    endUserId: call.externalId,
    keyId: call.keyId,
    requestedModel: call.alias,
    wire: call.wire,
    streamed: call.isStreamed,
    httpStatus: call.httpStatus,
    errorCode: call.errorCode,
    chargeMicros: call.chargeMicros,
    overHoldMicros: call.overHoldMicros,
    latencyMs: call.latencyMs,
    firstByteMs: call.firstByteMs,
    createdAt: call.atMs,
  }
}
