import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import type { CallCorrection, CallRecord } from '#domain/records.ts'
import { CallStatusSchema, refundedOf } from '#operations/requests/request-view.ts'
import { Count, MicrosSum, Timestamp } from '#operations/schemas.ts'

/** A request as its end user sees it. Only the listed fields are shown. */
export const PortalRequest = z
  .object({
    id: z.string().meta({ description: 'ID of the request, `req_…`, as in its response.' }),
    status: CallStatusSchema,
    requestedModel: z.string().nullable().meta({ description: 'The requested model name.' }),
    keyId: z
      .string()
      .nullable()
      .meta({ description: 'ID of the key that the request was sent with, `key_…`.' }),
    streamed: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the response was streamed. Null while the request is in flight.' }),
    httpStatus: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the response. Null while the request is in flight.' }),
    errorCode: z
      .string()
      .nullable()
      .meta({ description: 'Error code of a failed or rejected request. Null if the request has no error.' }),
    chargeMicros: MicrosSum.meta({
      description: 'Amount charged to pools, wallet or on-demand billing, in micros.',
    }),
    refundedMicros: MicrosSum.meta({ description: 'Amount refunded so far, in micros.' }),
    inputTokens: Count.meta({
      description: 'Input tokens, including cached tokens. 0 if nothing was charged.',
    }),
    cachedInputTokens: Count.meta({ description: 'Input tokens that were read from a cache.' }),
    outputTokens: Count.meta({
      description: 'Output tokens, including reasoning tokens. 0 if nothing was charged.',
    }),
    latencyMs: z.int().nullable().meta({
      description:
        'Milliseconds from the first byte of the request to the last byte of the response. Null while the request is in flight.',
    }),
    createdAt: Timestamp.meta({ description: 'Time of the request.' }),
  })
  .meta({ id: 'PortalRequest', description: 'A request of the signed-in end user and its result.' })

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
