import * as z from 'zod'
import { poolReasons } from '#money/posting.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { LedgerEntry } from '#domain/billing/balances-and-ledger-entries.ts'
import { SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const LedgerEntryView = z
  .object({
    id: z.string().meta({ description: 'ID of the ledger entry, `led_…`.' }),
    kind: z
      .enum(['topup', 'grant', 'usage_debit', 'refund', 'reversal', 'adjustment'])
      .meta({ description: 'Kind of the entry.' }),
    amountUnits: SignedMicros.meta({
      description: 'Amount of the entry, in `unit`. Negative if the amount was debited.',
    }),
    balanceAfterUnits: SignedMicros.meta({
      description: 'Balance of the wallet or pool (`source`) after the entry, in `unit`.',
    }),
    unit: z
      .enum(['micros', 'credits'])
      .meta({ description: 'Unit of the amounts: `micros`, or `credits` for millionths of a credit.' }),
    source: z.string().meta({
      description:
        "Source whose balance changed. The value is one of:\n- `wallet`\n- a month of on-demand usage, such as `on_demand/2026-11`\n- credit that expires, such as `credit/gr_…`\n- a share in the money of a team's payer, such as `team/eu_…/2026-11`\n- a period of a pool, by bundle, slug and first day, such as `pro/tokens/2026-11-20`\n- a pool granted at sign-up, such as `pro/welcome`",
    }),
    poolName: z
      .exactOptional(z.string())
      .meta({ description: 'Display name of the pool. Present only for pools of plans.' }),
    planName: z.exactOptional(z.string()).meta({
      description:
        'Display name of the plan that granted the pool. Present only for pools of plans that were not deleted.',
    }),
    requestId: z
      .exactOptional(z.string())
      .meta({ description: 'ID of the request that caused the entry, `req_…`.' }),
    invoiceId: z.exactOptional(z.string()).meta({
      description:
        'ID of the invoice for the month of on-demand usage, `inv_…`. Present if the entry was made because the invoice was paid or voided.',
    }),
    grantId: z
      .exactOptional(z.string())
      .meta({ description: 'ID of the grant that was credited or reversed, `gr_…`.' }),
    paymentReference: z
      .exactOptional(z.string())
      .meta({ description: 'Reference of the payment for a top-up.' }),
    reason: z.exactOptional(z.string()).meta({
      description: `Reason for the entry. For a pool, one of ${poolReasons.map((reason) => `\`${reason}\``).join(', ')}. For a month of on-demand usage, one of \`on_demand_paid\` or \`on_demand_waived\`. If usage was reported late, \`late_usage\`.`,
    }),
    createdAt: Timestamp.meta({ description: 'When the entry was written.' }),
  })
  .meta({ id: 'LedgerEntry', description: 'A change of a balance.' })

export function ledgerEntryView(entry: LedgerEntry): z.output<typeof LedgerEntryView> {
  return {
    id: entry.id,
    kind: entry.kind,
    amountUnits: entry.amount,
    balanceAfterUnits: entry.balanceAfter,
    unit: entry.unit,
    source: entry.source,
    ...(entry.poolName !== null && { poolName: entry.poolName }),
    ...(entry.planName !== null && { planName: entry.planName }),
    ...(entry.callId !== null && { requestId: idOf('req', entry.callId) }),
    ...(entry.invoiceId !== null && { invoiceId: entry.invoiceId }),
    ...(entry.grantId !== null && isOfGrant(entry) && { grantId: entry.grantId }),
    ...(entry.paymentReference !== null && { paymentReference: entry.paymentReference }),
    ...(entry.reason !== null && { reason: entry.reason }),
    createdAt: entry.createdAtMs,
  }
}

function isOfGrant({ kind }: LedgerEntry): boolean {
  return kind === 'grant' || kind === 'reversal'
}
