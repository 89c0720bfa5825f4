// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of invoices.list: list invoices. */
export interface InvoicesListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /** External ID of an end user. Returns only invoices of that end user. 1 to 256 characters. */
  endUserId?: string | undefined
  /**
   * Status of the invoice. `open`: due by `dueAt`. `past_due`: unpaid after `dueAt`, which blocks new
   * on-demand usage. `paid`: paid. `void`: waived, nothing is owed.
   */
  status?: 'open' | 'past_due' | 'paid' | 'void' | undefined
}

/** What invoices.list answers. */
export interface InvoicesListOutput {
  data: types.Invoice[]
  nextCursor: string | null
}

/** Of invoices.show: show an invoice. */
export interface InvoicesShowInput {
  /** ID of the invoice, `inv_…`. 1 to 64 characters. */
  id: string
}

/** Of invoices.pay: mark an invoice as paid. */
export interface InvoicesPayInput {
  /** ID of the invoice, `inv_…`. 1 to 64 characters. */
  id: string
}

/** Of invoices.void: void an invoice. */
export interface InvoicesVoidInput {
  /** ID of the invoice, `inv_…`. 1 to 64 characters. */
  id: string
}

/** Invoices for plans and on-demand usage. */
export class Invoices {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List invoices. Returns invoices for plans and on-demand usage in the mode of the request, newest first.
   * On-demand usage of a calendar month (UTC) is a line of the next invoice. If no renewal follows within a
   * month, the usage gets an invoice of its own.
   *
   * GET /v1/invoices (an extension)
   * @throws ApiError not_found
   */
  list(input?: InvoicesListInput, options?: CallOptions): PageCall<types.Invoice, InvoicesListOutput> {
    return this.#sender.page(
      { id: 'invoices.list', method: 'GET', path: '/v1/invoices', query: ['limit', 'cursor', 'endUserId', 'status'] },
      input,
      options,
    )
  }

  /**
   * Show an invoice. Returns an invoice in the mode of the request, with its lines.
   *
   * GET /v1/invoices/{id} (an extension)
   * @throws ApiError not_found
   */
  show(input: InvoicesShowInput, options?: CallOptions): Call<types.Invoice> {
    return this.#sender.call(
      { id: 'invoices.show', method: 'GET', path: '/v1/invoices/{id}' },
      input,
      options,
    )
  }

  /**
   * Mark an invoice as paid. Records that the end user has paid. The server itself moves no money. If no
   * other invoice is past due, on-demand usage is available again with the next request. Paying a paid
   * invoice changes nothing.
   *
   * POST /v1/invoices/{id}/pay (an extension)
   * @throws ApiError not_found, invoice_void
   */
  pay(input: InvoicesPayInput, options?: CallOptions): Call<types.Invoice> {
    return this.#sender.call(
      { id: 'invoices.pay', method: 'POST', path: '/v1/invoices/{id}/pay', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Void an invoice. Waives an unpaid invoice. Credit that was applied to the invoice is returned. The end
   * user keeps the plan that the invoice covers, but its unused days give no credit. Voiding a void invoice
   * changes nothing.
   *
   * POST /v1/invoices/{id}/void (an extension)
   * @throws ApiError not_found, invoice_paid
   */
  void(input: InvoicesVoidInput, options?: CallOptions): Call<types.Invoice> {
    return this.#sender.call(
      { id: 'invoices.void', method: 'POST', path: '/v1/invoices/{id}/void', isKeyed: true },
      input,
      options,
    )
  }
}
