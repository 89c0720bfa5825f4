import * as z from 'zod'
import type { CreditResult } from '#domain/ledger-interface.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'

export const BalanceChangeView = z
  .object({
    id: z.string().meta({ description: 'ID of the change, `gr_…`.' }),
    endUserId: z.string().meta({ description: "The customer's own ID for the end user." }),
    kind: z.enum(['topup', 'adjustment']).meta({ description: 'Kind of the ledger entry.' }),
    amountUnits: SignedMicros.meta({
      description: 'Amount added to the balance, in micros. Negative if the amount was subtracted.',
    }),
    balanceAfterUnits: SignedMicros.meta({ description: 'Balance after the change, in micros.' }),
    paymentReference: z
      .string()
      .nullable()
      .meta({ description: 'Reference of the payment for a top-up. Null for every other kind.' }),
    reason: z.string().meta({ description: 'Reason for the change. The ledger shows the same text.' }),
    ledgerEntryId: z.string().meta({ description: 'ID of the ledger entry, `led_…`.' }),
    createdAt: Timestamp.meta({ description: 'When the change was made.' }),
  })
  .meta({ id: 'BalanceChange', description: 'A manual change of a wallet: a top-up or an adjustment.' })

export type BalanceChange = z.output<typeof BalanceChangeView>

/** @returns the written change, also for a repeated request, or the reason of the rejection */
export async function changeBalance(
  endUser: EndUser,
  change: {
    readonly kind: 'topup' | 'adjustment'
    readonly amountMicros: bigint
    readonly reason: string
    readonly paymentReference: string | null
    readonly idempotencyKey: string | null
    /** A repeated request must have the same values in these fields as the first request. */
    readonly asked: readonly string[]
  },
  context: ApplicationContext,
): Promise<BalanceChange | Exclude<CreditResult, { readonly kind: 'credited' }>> {
  const { application, mode, ports, store } = context
  const { asked, ...terms } = change
  const result = await ports.ledger.credit({
    ...terms,
    grantId: idOf('gr', ports.newId()),
    applicationId: application.id,
    mode,
    nowMs: modeTime(context),
    endUserIds: [endUser.id],
    requestHash: sha256(JSON.stringify([terms.kind, endUser.id, ...asked])),
  })
  if (result.kind !== 'credited') return result
  const credit = await store.corrections.credit(endUser.id, mode, result.grantId)
  if (credit === null)
    throw new Error(`the credit ${result.grantId} of ${endUser.id} was written but not found`)
  return {
    id: credit.id,
    endUserId: endUser.externalId,
    kind: credit.kind,
    amountUnits: credit.amountMicros,
    balanceAfterUnits: credit.balanceAfterMicros,
    paymentReference: credit.paymentReference,
    reason: credit.reason,
    ledgerEntryId: credit.entryId,
    createdAt: credit.createdAtMs,
  }
}
