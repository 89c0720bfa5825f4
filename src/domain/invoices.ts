import type { InvoiceDraft, InvoiceLine } from '#money/invoice.ts'
import type { Mode } from './account.ts'
import type { Page, Rows } from './records.ts'

/** An invoice to a person; its times are those of its mode. Only the last two fields change, and each once. */
export interface Invoice extends Omit<InvoiceDraft, 'lines' | 'issuedAtMs'> {
  readonly id: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  /** 1 for the person's first in the mode. */
  readonly number: number
  readonly createdAtMs: number
  readonly paidAtMs: number | null
  readonly voidedAtMs: number | null
}

export interface NewInvoice extends Invoice {
  readonly lines: readonly InvoiceLine[]
}

export interface InvoiceLineShown extends InvoiceLine {
  /** The entry by which a month of on-demand usage was paid or waived; null: there is none. */
  readonly ledgerEntryId: string | null
}

export interface InvoiceShown extends Invoice {
  readonly lines: readonly InvoiceLineShown[]
  /** The customer's own id of the person. */
  readonly externalId: string
}

export type InvoiceStatus = 'open' | 'past_due' | 'paid' | 'void'

export function invoiceStatus(
  { dueAtMs, paidAtMs, voidedAtMs }: Pick<Invoice, 'dueAtMs' | 'paidAtMs' | 'voidedAtMs'>,
  nowMs: number,
): InvoiceStatus {
  if (voidedAtMs !== null) return 'void'
  if (paidAtMs !== null) return 'paid'
  return dueAtMs <= nowMs ? 'past_due' : 'open'
}

export interface InvoiceFilter {
  readonly endUserId: string | null
  readonly status: InvoiceStatus | null
}

export interface Invoices {
  insert(invoices: readonly NewInvoice[]): Promise<void>
  /** Of that mode alone: the modes do not know each other's invoices. */
  byId(applicationId: string, mode: Mode, id: string): Promise<InvoiceShown | null>
  /** @param nowMs the time in the mode, which open and past due are told apart by */
  list(
    applicationId: string,
    mode: Mode,
    filter: InvoiceFilter,
    nowMs: number,
    page: Page,
  ): Promise<Rows<InvoiceShown>>
  /** The first invoice for a plan after that number; null: there is none. */
  nextOfPlan(endUserId: string, mode: Mode, number: number): Promise<InvoiceShown | null>
  /** Neither paid nor void, oldest first. */
  unpaid(endUserId: string, mode: Mode): Promise<readonly InvoiceShown[]>
  setPaid(id: string, atMs: number): Promise<void>
  setVoid(id: string, atMs: number): Promise<void>
}
