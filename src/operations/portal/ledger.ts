import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { bringUpToDate, LedgerEntryView, ledgerEntryView } from '#operations/users/ledger.ts'

export default operation({
  id: 'portal.ledger',
  method: 'GET',
  path: '/v1/portal/ledger',
  scope: 'end_user',
  summary: 'List the balance entries of the signed-in end user',
  description:
    'What moved their wallet in the mode of the session, newest first, with the reasons that the application gave. Entries are never changed or removed, and their sum is the balance.',
  query: {
    ...pageQuery,
    source: z
      .enum(['wallet', 'all'])
      .default('wallet')
      .meta({ description: '`all`: pools and on-demand too.' }),
  },
  output: listOf(LedgerEntryView),
  async run({ query }, context) {
    const { endUser, mode, store } = context
    if (query.source === 'all') await bringUpToDate(endUser.id, context)
    return answerOf(store.balances.ledger(endUser.id, mode, query.source, pageOf(query)), ledgerEntryView)
  },
})
