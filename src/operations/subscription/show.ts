import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { ExternalId } from '#operations/schemas.ts'
import { ownEndUser } from '#operations/users/end-user-view.ts'
import { bundleOf, SubscriptionView, subscriptionView } from './subscription-view.ts'

export default operation({
  id: 'subscription.show',
  method: 'GET',
  path: '/v1/subscription',
  scope: 'application',
  summary: "Show an end user's subscription",
  description: 'The plan of a person, what it granted and what is left of it, in the mode of the request.',
  input: { query: { endUserId: ExternalId } },
  output: SubscriptionView,
  errors: ['not_found'],
  async run({ query }, context) {
    const endUser = await ownEndUser(query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const bundle = await bundleOf(endUser, context)
    if (!bundle)
      return refused('not_found', { resource: 'subscription of', id: query.endUserId }, 'endUserId')
    return subscriptionView(endUser, bundle, context)
  },
})
