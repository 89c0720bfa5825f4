import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import type { CallCorrection, CallRecord } from '#domain/records.ts'
import { CallStatusSchema, refundedOf } from '#operations/requests/request-view.ts'
import { Count, MicrosSum, Timestamp } from '#operations/schemas.ts'

/** A request as its end user sees it. Only the listed fields are shown. */
export const PortalRequest = z
  .object({
    id: z.string().meta({ description: 'Id of the call, `req_…`, as its answer carried it.' }),
    status: CallStatusSchema,
    requestedModel: z.string().nullable().meta({ description: 'The requested model name.' }),
    keyId: z.string().nullable().meta({ description: 'The key it came with.' }),
    streamed: z.boolean().nullable().meta({ description: 'Whether it was streamed; null while in flight.' }),
    httpStatus: z.int().nullable().meta({ description: 'Status of the answer; null while in flight.' }),
    errorCode: z.string().nullable().meta({ description: 'Code of the failure or refusal; null: none.' }),
    chargeMicros: MicrosSum.meta({ description: 'What left pools, wallet or on-demand for it, in micros.' }),
    refundedMicros: MicrosSum.meta({ description: 'Amount refunded so far, in micros.' }),
    inputTokens: Count.meta({ description: 'Tokens in, cached ones too; 0 where nothing was charged.' }),
    cachedInputTokens: Count.meta({ description: 'Those of the tokens in that came from a cache.' }),
    outputTokens: Count.meta({ description: 'Tokens out, reasoning too; 0 where nothing was charged.' }),
    latencyMs: z.int().nullable().meta({
      description:
        'Milliseconds from the first byte of the request to the last of the answer; null while in flight.',
    }),
    createdAt: Timestamp.meta({ description: 'Time of the request.' }),
  })
  .meta({ id: 'PortalRequest', description: 'How a call of the signed-in person went.' })

export function portalRequest(
  call: CallRecord,
  corrections: readonly CallCorrection[] = [],
): z.output<typeof PortalRequest> {
  return {
    id: idOf('req', call.callId),
    status: call.status,
    requestedModel: call.alias,
    keyId: call.keyId,
    streamed: call.isStreamed,
    httpStatus: call.httpStatus,
    errorCode: call.errorCode,
    chargeMicros: call.chargeMicros,
    refundedMicros: refundedOf(corrections),
    inputTokens: call.inputTokens,
    cachedInputTokens: call.cachedInputTokens,
    outputTokens: call.outputTokens,
    latencyMs: call.latencyMs,
    createdAt: call.atMs,
  }
}
