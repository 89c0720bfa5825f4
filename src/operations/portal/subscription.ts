import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { bringUpEndUser } from '#operations/subscription/issue-due.ts'
import { planOf, SubscriptionView, subscriptionView } from '#operations/subscription/subscription-view.ts'

export default operation({
  id: 'portal.subscription',
  method: 'GET',
  path: '/v1/portal/subscription',
  scope: 'end_user',
  summary: "Show the signed-in end user's subscription",
  description: 'Their plan, what it granted and what is left of it, in the mode of the session.',
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
