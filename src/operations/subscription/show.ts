import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ExternalId } from '#operations/schemas.ts'
import { bringUpEndUser } from './issue-due.ts'
import { subscriber, SubscriptionView, subscriptionView } from './subscription-view.ts'

export default operation({
  id: 'subscription.show',
  method: 'GET',
  path: '/v1/subscription',
  scope: 'application',
  summary: "Show an end user's subscription",
  description: 'The plan of a person, what it granted and what is left of it, in the mode of the request.',
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
