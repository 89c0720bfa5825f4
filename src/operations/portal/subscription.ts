import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { bringUpEndUser } from '#operations/billing/shared/issue-due-invoices.ts'
import { SubscriptionView, subscriptionView } from '#operations/subscription/shared/subscription-view.ts'
import { planOf } from '#operations/billing/shared/current-plan-and-pools.ts'

export default operation({
  id: 'portal.subscription',
  method: 'GET',
  path: '/v1/portal/subscription',
  scope: 'end_user',
  summary: "Show the end user's subscription",
  description: "Returns the end user's plan, with granted and remaining credit, in the mode of the session.",
  output: SubscriptionView,
  errors: ['not_found'],
  async run(_, context) {
    const { endUser } = context
    const bundle = await planOf(endUser, context)
    if (!bundle) return refused('not_found', { resource: 'subscription of', id: endUser.externalId })
    await bringUpEndUser(endUser, context)
    return subscriptionView(endUser, bundle, context)
  },
})
