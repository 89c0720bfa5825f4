import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownInvoice } from '#operations/kernel/find-resources-of-caller.ts'
import { InvoiceView, invoiceView } from '#operations/invoices/shared/invoice-view.ts'

export default operationOn(ownInvoice, {
  id: 'invoices.show',
  method: 'GET',
  path: '/v1/invoices/{id}',
  summary: 'Show an invoice',
  description: 'Returns an invoice in the mode of the request, with its lines.',
  output: InvoiceView,
  isExtension: true,
  run: async (invoice, context) => invoiceView(invoice, modeTime(context)),
})
