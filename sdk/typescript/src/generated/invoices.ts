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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** Only invoices of this end user. 1 to 256 characters. */
  endUserId?: string | undefined
  /**
   * `open`: to be paid by `dueAt`; `past_due`: not paid by then, so that overage pays for nothing new;
   * `paid`; `void`: nothing is owed.
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
  /** Id of the invoice, `inv_…`. 1 to 64 characters. */
  id: string
}

/** Of invoices.pay: mark an invoice as paid. */
export interface InvoicesPayInput {
  /** Id of the invoice, `inv_…`. 1 to 64 characters. */
  id: string
}

/** Of invoices.void: void an invoice. */
export interface InvoicesVoidInput {
  /** Id of the invoice, `inv_…`. 1 to 64 characters. */
  id: string
}

/** What subscriptions cost, and whether it was paid. */
export class Invoices {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List invoices. Returns invoices for plans and on-demand usage in the mode of the request, newest first.
   * A calendar month (UTC) of on-demand usage is a line of the next invoice, or an invoice of its own if no
   * renewal comes within a month.
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
   * Show an invoice. One invoice of the mode of the request, with its lines.
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
   * Mark an invoice as paid. Notes that the person has paid; this server moves no money of its own. Where
   * nothing else is past due, overage is to be had again from the next call on. Paying again changes
   * nothing.
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
   * Void an invoice. Waives an invoice that was not paid: nothing is owed, and credit that it used is there
   * again. The person keeps what it was for, but its unused days give no credit. Voiding again changes
   * nothing.
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
