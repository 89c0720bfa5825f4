import type { InvoiceDraft, InvoiceLine } from '#money/invoice.ts'
import type { Mode } from './money-account-key.ts'
import type { Page, Rows } from '#domain/list-page.ts'

/**
 * The times are by the clock of the invoice's mode (the real clock or the test clock). Only the times of payment and of
 * voiding ever change, each at most once.
 */
export interface Invoice extends Omit<InvoiceDraft, 'lines' | 'issuedAtMs'> {
  readonly id: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  /** An end user's first invoice in a mode has number 1. */
  readonly number: number
  readonly createdAtMs: number
  readonly paidAtMs: number | null
  readonly voidedAtMs: number | null
}

export interface NewInvoice extends Invoice {
  readonly lines: readonly InvoiceLine[]
}

export interface InvoiceLineShown extends InvoiceLine {
  /**
   * The ledger entry that cleared the line's month of on-demand usage. Null if the month is neither paid nor waived.
   */
  readonly ledgerEntryId: string | null
}

export interface InvoiceShown extends Invoice {
  readonly lines: readonly InvoiceLineShown[]
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
  byId(applicationId: string, mode: Mode, id: string): Promise<InvoiceShown | null>
  /** @param nowMs the time in the mode, which decides whether an unpaid invoice is open or past due */
  list(
    applicationId: string,
    mode: Mode,
    filter: InvoiceFilter,
    nowMs: number,
    page: Page,
  ): Promise<Rows<InvoiceShown>>
  /** Returns all invoices of an end user, oldest first. */
  all(endUserId: string, mode: Mode): Promise<readonly InvoiceShown[]>
  /** Returns invoices that are neither paid nor void, oldest first. */
  unpaid(endUserId: string, mode: Mode): Promise<readonly InvoiceShown[]>
  setPaid(id: string, atMs: number): Promise<void>
  setVoid(id: string, atMs: number): Promise<void>
}
