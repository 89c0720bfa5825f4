import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { findIfNamed, ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { answerOf, ExternalId, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { bringUpEndUser, issueDueInvoices } from '#operations/billing/shared/issue-due-invoices.ts'
import { InvoiceStatusField, InvoiceView, invoiceView } from '#operations/invoices/shared/invoice-view.ts'

export default operation({
  id: 'invoices.list',
  method: 'GET',
  path: '/v1/invoices',
  scope: 'application',
  summary: 'List invoices',
  description:
    'Returns invoices for plans and on-demand usage in the mode of the request, newest first. On-demand usage of a calendar month (UTC) is a line of the next invoice. If no renewal follows within a month, the usage is invoiced separately.',
  query: {
    ...pageQuery,
    endUserId: ExternalId.optional().meta({
      description: 'External ID of an end user. Returns only invoices of that end user.',
    }),
    status: InvoiceStatusField.optional(),
  },
  output: listOf(InvoiceView),
  errors: ['not_found'],
  isExtension: true,
  async run({ query }, context) {
    const { application, mode, store } = context
    const nowMs = modeTime(context)
    const endUser = await findIfNamed(ownEndUser, query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    if (endUser) await bringUpEndUser(endUser, context)
    else await issueDueOfAll(context)
    const filter = { endUserId: endUser?.id ?? null, status: query.status ?? null }
    const page = store.invoices.list(application.id, mode, filter, nowMs, pageOf(query))
    return answerOf(page, (invoice) => invoiceView(invoice, nowMs))
  },
})

/** If the store rejects writes, the response contains only the existing invoices. */
async function issueDueOfAll(context: ApplicationContext): Promise<void> {
  const { application, mode, ports } = context
  try {
    const scope = { applicationId: application.id, mode, nowMs: modeTime(context) }
    await issueDueInvoices(ports, scope)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
  }
}
