import * as z from 'zod'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { CallCorrection } from '#domain/billing/call-correction-record.ts'
import type { CallRecord } from '#domain/calls/call-record.ts'
import { refundedOf, RequestView } from '#operations/requests/shared/request-view.ts'
import { Count, MicrosSum } from '#operations/kernel/value-and-page-schemas.ts'

export const PortalRequest = z
  .object({
    id: RequestView.shape.id,
    status: RequestView.shape.status,
    requestedModel: RequestView.shape.requestedModel,
    keyId: z
      .string()
      .nullable()
      .meta({ description: 'ID of the key that sent the request, `key_…`. Null if the key is unknown.' }),
    streamed: RequestView.shape.streamed,
    httpStatus: RequestView.shape.httpStatus,
    errorCode: RequestView.shape.errorCode,
    chargeMicros: MicrosSum.meta({
      description: 'Amount charged to pools, wallet and on-demand billing, in micros, before refunds.',
    }),
    refundedMicros: MicrosSum.meta({ description: 'Amount refunded so far, in micros.' }),
    inputTokens: RequestView.shape.inputTokens,
    cachedInputTokens: RequestView.shape.cachedInputTokens,
    outputTokens: Count.meta({
      description: 'Output tokens, including reasoning tokens. 0 if nothing was charged.',
    }),
    latencyMs: RequestView.shape.latencyMs,
    createdAt: RequestView.shape.createdAt,
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
