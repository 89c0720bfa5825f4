import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { bringUpToDate } from '#operations/users/ledger.ts'
import { LedgerEntryView, ledgerEntryView } from '#operations/billing/shared/ledger-entry-view.ts'

export default operation({
  id: 'portal.ledger',
  method: 'GET',
  path: '/v1/portal/ledger',
  scope: 'end_user',
  summary: "List the end user's ledger",
  description:
    "Returns the entries of the end user's wallet in the mode of the session, newest first, with the reasons that the application gave. Entries are never changed or removed. The sum of all entries is the balance.",
  query: {
    ...pageQuery,
    source: z.enum(['wallet', 'all']).default('wallet').meta({
      description:
        '`wallet` returns wallet entries only. `all` also returns entries of pools and on-demand usage. Defaults to `wallet`.',
    }),
  },
  output: listOf(LedgerEntryView),
  async run({ query }, context) {
    const { endUser, mode, store } = context
    if (query.source === 'all') await bringUpToDate(endUser.id, context)
    return answerOf(store.balances.ledger(endUser.id, mode, query.source, pageOf(query)), ledgerEntryView)
  },
})
