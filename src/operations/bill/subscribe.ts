import * as z from 'zod'
import { moveTo } from '#money/organization-tier-by-day.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import {
  tableToday,
  TierName,
  tierState,
  TierStateView,
  today,
} from '#operations/bill/shared/organization-tier-view.ts'

export default operation({
  id: 'bill.subscribe',
  method: 'POST',
  path: '/v1/bill/subscribe',
  scope: 'organization',
  leastRole: 'owner',
  summary: 'Change the billing tier',
  description:
    'Moves the organization to another tier. Repeating the request changes nothing.\n\n- A more expensive tier takes effect today (UTC). The bill charges the price difference for the remaining days of the month. The number of included requests increases by the difference between the tiers, in proportion to the remaining days.\n- A cheaper tier takes effect on the first day of the next month.\n- If another move is pending, the new request replaces that move. Sending the current tier cancels the pending move.',
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
