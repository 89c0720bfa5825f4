import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { ExternalId } from '#operations/kernel/value-and-page-schemas.ts'
import { bringUpEndUser } from '#operations/billing/shared/issue-due-invoices.ts'
import {
  subscriber,
  SubscriptionView,
  subscriptionView,
} from '#operations/subscription/shared/subscription-view.ts'

export default operation({
  id: 'subscription.show',
  method: 'GET',
  path: '/v1/subscription',
  scope: 'application',
  summary: "Show an end user's subscription",
  description:
    'Returns the plan of an end user in the mode of the request, with its pools, invoices and remaining credit.',
  query: { endUserId: ExternalId },
  output: SubscriptionView,
  errors: ['not_found'],
  async run({ query }, context) {
    const found = await subscriber(query.endUserId, context)
    if (found instanceof Refused) return found
    await bringUpEndUser(found.endUser, context)
    return subscriptionView(found.endUser, found.bundle, context)
  },
})
