import type { ClearMonthRequest } from '#domain/ledger.ts'

/** The idempotency key of the entry that clears a month: it names the invoice, and allows one entry of each. */
export function keyOfClearing({
  invoiceId,
  sourceId,
}: Pick<ClearMonthRequest, 'invoiceId' | 'sourceId'>): string {
  return `${invoiceId}/${sourceId}`
}

/** The invoice that an entry clears a month of; null: it is another kind of entry. */
export function invoiceOfEntry(entry: {
  readonly reason: string | null
  readonly idempotency_key: string | null
}): string | null {
  if (entry.reason !== 'on_demand_paid' && entry.reason !== 'on_demand_waived') return null
  const invoiceId = entry.idempotency_key?.split('/')[0] ?? ''
  return invoiceId.startsWith('inv_') ? invoiceId : null
}
