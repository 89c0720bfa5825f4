import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownInvoice } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { voidInvoice } from '#operations/billing/shared/keep-subscription-current.ts'
import { clearMonths } from '#operations/billing/shared/clear-paid-on-demand-months.ts'
import { InvoiceView, invoiceView } from '#operations/invoices/shared/invoice-view.ts'
import { debtorOf } from '#operations/invoices/shared/end-user-who-owes-invoice.ts'

export default operationOn(ownInvoice, {
  id: 'invoices.void',
  method: 'POST',
  path: '/v1/invoices/{id}/void',
  summary: 'Void an invoice',
  description:
    'Waives an unpaid invoice. Credit that was applied to the invoice is returned. If unused days of the invoice reduced the next invoice, the returned credit pays for the reduction. The end user keeps the plan that the invoice covers. If the end user changes plans later, unused days of the voided invoice are worth only the paid days of an earlier plan that the invoice replaced. Voiding a void invoice changes nothing.',
  output: InvoiceView,
  errors: ['invoice_paid'],
  isExtension: true,
  async run(invoice, context) {
    const nowMs = modeTime(context)
    const { id, paidAtMs, voidedAtMs } = invoice
    if (paidAtMs !== null) return refused('invoice_paid', { id, at: new Date(paidAtMs).toISOString() }, 'id')
    if (voidedAtMs !== null) return invoiceView(invoice, nowMs)
    await voidInvoice(
      { store: context.store, newId: context.ports.newId },
      await debtorOf(invoice, context),
      invoice,
    )
    context.afterCommit(() => clearMonths(context.ports, id, context.nowMs))
    return invoiceView({ ...invoice, voidedAtMs: nowMs }, nowMs)
  },
})
