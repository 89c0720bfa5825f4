/**
 * Batches for a receiver that this server cannot reach, such as a server on a laptop. This server creates and signs the
 * batch, and a client (`tollgate emitters listen`) posts it to the receiver.
 */
import type { EmitterAmount } from '#domain/emitters/emitter-kinds.ts'
import type { SignedBatch, UsageEvent } from '#domain/emitters/emitter-records-and-ports.ts'
import { payloadShapes } from './payload-format-by-emitter-kind.ts'

export function signedBatch({
  amount,
  events,
  id,
  nowMs,
  organizationId,
  signingSecret,
}: {
  readonly id: string
  readonly organizationId: string
  readonly amount: EmitterAmount
  readonly events: readonly UsageEvent[]
  readonly signingSecret: string
  readonly nowMs: number
}): SignedBatch {
  const shape = payloadShapes.webhook
  const emitter = {
    kind: 'webhook',
    eventName: null,
    customerId: 'end_user_id',
    organizationId,
    destination: '',
    amount,
  } as const
  const body = JSON.stringify(shape.body({ id, emitter, events }))
  const headers = shape.headers({ batchId: id, body, secret: signingSecret, former: null, nowMs })
  return {
    id,
    callIds: events.map(({ callId }) => callId),
    body,
    headers: { ...headers, 'content-type': shape.contentType },
    signingSecret,
  }
}
