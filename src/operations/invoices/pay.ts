import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownInvoice } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { payInvoice } from '#operations/billing/shared/keep-subscription-current.ts'
import { clearMonths } from '#operations/billing/shared/clear-paid-on-demand-months.ts'
import { InvoiceView, invoiceView } from '#operations/invoices/shared/invoice-view.ts'
import { debtorOf } from '#operations/invoices/shared/end-user-who-owes-invoice.ts'

export default operationOn(ownInvoice, {
  id: 'invoices.pay',
  method: 'POST',
  path: '/v1/invoices/{id}/pay',
  summary: 'Mark an invoice as paid',
  description:
    'Records that the end user has paid. The server itself moves no money. If no other invoice is past due, on-demand usage is available again with the next request. Paying a paid invoice changes nothing.',
  output: InvoiceView,
  errors: ['invoice_void'],
  isExtension: true,
  async run(invoice, context) {
    const nowMs = modeTime(context)
    const { id, paidAtMs, voidedAtMs } = invoice
    if (voidedAtMs !== null) {
      return refused('invoice_void', { id, at: new Date(voidedAtMs).toISOString() }, 'id')
    }
    if (paidAtMs !== null) return invoiceView(invoice, nowMs)
    await payInvoice(
      { store: context.store, newId: context.ports.newId },
      await debtorOf(invoice, context),
      invoice,
    )
    context.afterCommit(() => clearMonths(context.ports, id, context.nowMs))
    return invoiceView({ ...invoice, paidAtMs: nowMs }, nowMs)
  },
})
