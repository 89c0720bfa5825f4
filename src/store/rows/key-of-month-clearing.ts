import type { ClearMonthRequest } from '#domain/ledger-interface.ts'

/** The key contains the invoice ID, so there is one entry for each invoice and month. */
export function keyOfClearing({
  invoiceId,
  sourceId,
}: Pick<ClearMonthRequest, 'invoiceId' | 'sourceId'>): string {
  return `${invoiceId}/${sourceId}`
}

/** Null for a ledger entry that clears no month. */
export function invoiceOfEntry(entry: {
  readonly reason: string | null
  readonly idempotency_key: string | null
}): string | null {
  if (entry.reason !== 'on_demand_paid' && entry.reason !== 'on_demand_waived') return null
  const invoiceId = entry.idempotency_key?.split('/')[0] ?? ''
  return invoiceId.startsWith('inv_') ? invoiceId : null
}
