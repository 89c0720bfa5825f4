import { modeTime } from '#operations/kernel/mode-time.ts'
import { operationOn } from '#operations/kernel/operation.ts'
import { ownInvoice } from '#operations/kernel/owned-resources.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { voidInvoice } from '#operations/billing/keep-subscription-current.ts'
import { clearMonths } from '#operations/billing/clear-paid-months.ts'
import { InvoiceView, invoiceView } from './invoice-view.ts'
import { debtorOf } from './debtor.ts'

export default operationOn(ownInvoice, {
  id: 'invoices.void',
  method: 'POST',
  path: '/v1/invoices/{id}/void',
  summary: 'Void an invoice',
  description:
    'Waives an unpaid invoice. Credit that was applied to the invoice is returned. The end user keeps the plan that the invoice covers. If the end user changes plans later, the unused days of the voided invoice give no credit. Voiding a void invoice changes nothing.',
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
