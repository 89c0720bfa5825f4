import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import type { CallCorrection, CallRecord } from '#domain/records.ts'
import { CallStatusSchema, refundedOf } from '#operations/requests/request-view.ts'
import { Count, MicrosSum, Timestamp } from '#operations/schemas.ts'

/** The fields of a request that its end user can see. */
export const PortalRequest = z
  .object({
    id: z.string().meta({ description: 'ID of the request, `req_…`, as returned with its response.' }),
    status: CallStatusSchema,
    requestedModel: z.string().nullable().meta({
      description: 'Requested model name. Null if the request was rejected before its model name was read.',
    }),
    keyId: z.string().nullable().meta({ description: 'ID of the key that sent the request, `key_…`.' }),
    streamed: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the response was streamed. Null while in flight.' }),
    httpStatus: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the response. Null while in flight.' }),
    errorCode: z
      .string()
      .nullable()
      .meta({ description: 'Error code of the failure or rejection. Null if no error occurred.' }),
    chargeMicros: MicrosSum.meta({
      description: 'Amount charged to pools, wallet and on-demand billing, in micros, before refunds.',
    }),
    refundedMicros: MicrosSum.meta({ description: 'Amount refunded so far, in micros.' }),
    inputTokens: Count.meta({
      description: 'Input tokens, including cached tokens. 0 if nothing was charged.',
    }),
    cachedInputTokens: Count.meta({ description: "Input tokens that were read from the provider's cache." }),
    outputTokens: Count.meta({
      description: 'Output tokens, including reasoning tokens. 0 if nothing was charged.',
    }),
    latencyMs: z.int().nullable().meta({
      description:
        'Time from the first byte of the request to the last byte of the response, in milliseconds. Null while in flight.',
    }),
    createdAt: Timestamp.meta({ description: 'Time of the request.' }),
  })
  .meta({ id: 'PortalRequest', description: 'A request of the signed-in end user, with its result.' })

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
