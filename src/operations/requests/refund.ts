import * as z from 'zod'
import { formatMicros } from '#money/amount.ts'
import { Failure } from '#domain/errors.ts'
import { idOf, suffixOf } from '#domain/ids-sorted-by-time.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { CorrectionView } from '#operations/requests/explain/explanation-schema.ts'
import { correctionView } from '#operations/requests/explain/reserve-and-settle-sections.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { Micros, PositiveMicros, text } from '#operations/kernel/value-and-page-schemas.ts'

const RefundView = CorrectionView.extend({
  requestId: z.string().meta({ description: 'ID of the refunded request, `req_…`.' }),
  amountUnits: Micros.meta({ description: 'Refunded amount, in micros.' }),
}).meta({ id: 'RequestRefund', description: 'A refund of a request.' })

export default operation({
  id: 'requests.refund',
  method: 'POST',
  path: '/v1/requests/{id}/refund',
  scope: 'application',
  summary: 'Refund a request',
  description:
    'Refunds all or part of the charge of a request to the sources that paid, starting with the source that paid last. If the refunds of a request would exceed its charge, the operation fails with `refund_too_large`. Send an `Idempotency-Key` so that a retry does not refund twice.\n\n- If a pool paid and its period has ended, that part of the refund becomes gifted credit in the wallet. The same applies to on-demand usage after its calendar month has ended.\n- A refund does not reduce the amounts used under key caps, spend limits and run ceilings.',
  parameters: {
    id: text(64).meta({
      description: 'ID of the request, `req_…`, of its hold, `hold_…`, or of its usage record, `ur_…`.',
    }),
  },
  body: z.strictObject({
    amountUnits: PositiveMicros.optional().meta({
      description: 'Amount to refund, in micros. Omit to refund the remaining charge.',
    }),
    reason: text(256).meta({
      description: 'Reason shown on the ledger of the end user.',
      examples: ['the response was useless'],
    }),
  }),
  output: RefundView,
  errors: ['not_found', 'refund_too_large'],
  isExtension: true,
  runsOutside: true,
  async run({ body, path }, context) {
    const { actor, application, idempotencyKey, mode, ports, store } = context
    const { amountUnits = null, reason } = body
    const callId = suffixOf('req', path.id) ?? suffixOf('hold', path.id) ?? suffixOf('ur', path.id)
    const story = callId === null ? null : await store.requests.story(application.id, mode, callId)
    if (story === null || callId === null)
      return refused('not_found', { resource: 'request', id: path.id }, 'id')
    const { endUserId } = story.call
    const tooLarge = (charged: bigint, refunded: bigint) =>
      refused(
        'refund_too_large',
        {
          id: idOf('req', callId),
          charged: formatMicros(charged),
          refunded: formatMicros(refunded),
          most: formatMicros(charged - refunded),
        },
        'amountUnits',
      )
    if (endUserId === null) return tooLarge(0n, 0n)
    const result = await ports.ledger.refund({
      correctionId: idOf('cor', ports.newId()),
      applicationId: application.id,
      endUserId,
      mode,
      callId,
      nowMs: modeTime(context),
      amountMicros: amountUnits,
      reason,
      actor: actor.label,
      idempotencyKey,
      requestHash: sha256(JSON.stringify([amountUnits === null ? null : formatMicros(amountUnits), reason])),
    })
    if (result.kind === 'not_charged') return tooLarge(0n, 0n)
    if (result.kind === 'exceeds') return tooLarge(result.chargeMicros, result.refundedMicros)
    // Every POST declares this error (http/errors-of-operation.ts).
    if (result.kind === 'idempotency_mismatch') throw new Failure('idempotency_mismatch')
    const { correctionId } = result
    const corrections = await store.corrections.ofCalls(application.id, [callId])
    const refund = corrections.find(({ id }) => id === correctionId)
    if (refund === undefined) throw new Error(`the refund ${correctionId} was written but not found`)
    const sources = await store.balances.sourceNames(endUserId, mode)
    return {
      ...correctionView(refund, sources),
      requestId: idOf('req', callId),
      amountUnits: -refund.chargeMicros,
    }
  },
})
