import * as z from 'zod'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { LedgerEntryView, ledgerEntryView } from '#operations/billing/shared/ledger-entry-view.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUserOrRemoved } from '#operations/kernel/find-resources-of-caller.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'

export default operationOn(ownEndUserOrRemoved, {
  id: 'users.ledger',
  method: 'GET',
  path: '/v1/end-users/{externalId}/ledger',
  summary: 'List ledger entries',
  description:
    "Returns the ledger entries of an end user's wallet in the mode of the request, newest first. Entries are never changed or deleted, even if the end user is deleted.",
  query: {
    ...pageQuery,
    source: z.enum(['wallet', 'all']).default('wallet').meta({
      description:
        '`wallet`: entries of the wallet. `all`: also entries of pools and on-demand billing. Defaults to `wallet`.',
    }),
  },
  output: listOf(LedgerEntryView),
  async run(endUser, context, { query }) {
    if (query.source === 'all') await bringUpToDate(endUser.id, context)
    const { mode, store } = context
    return answerOf(store.balances.ledger(endUser.id, mode, query.source, pageOf(query)), ledgerEntryView)
  },
})

/**
 * Writes the entries for credit that has lapsed since the last request. If the store rejects writes, the old entries
 * are shown.
 */
export async function bringUpToDate(endUserId: string, context: InApplication): Promise<void> {
  const { mode, ports } = context
  try {
    await ports.ledger.complete({ endUserId, mode, nowMs: modeTime(context) })
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
  }
}
