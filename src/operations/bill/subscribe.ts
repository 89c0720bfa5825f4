import * as z from 'zod'
import { moveTo } from '#money/tier-timeline.ts'
import { operation } from '#operations/operation.ts'
import { tableToday, TierName, tierState, TierStateView, today } from './tier-view.ts'

export default operation({
  id: 'bill.subscribe',
  method: 'POST',
  path: '/v1/bill/subscribe',
  scope: 'organization',
  leastRole: 'owner',
  summary: 'Move to a tier',
  description:
    'A dearer tier holds from today (UTC), and the month has the difference for the days that are left, with so many included calls more; a cheaper one holds from the first day of the next month. The last word counts: naming the present tier takes a move that is ahead back. Repeating it changes nothing.',
  body: z.strictObject({ tier: TierName }),
  output: TierStateView,
  async run({ body }, context) {
    const { nowMs, organization, store } = context
    const changes = await store.bills.tierChanges(organization.id)
    const change = moveTo(body.tier, changes, today(nowMs), tableToday(nowMs))
    await store.bills.setTier(organization.id, today(nowMs), change, nowMs)
    return tierState(context)
  },
  revision: async (_, context) => z.encode(TierStateView, await tierState(context)),
})
