import { operationOn } from '#operations/operation.ts'
import { ownBundle, ownEndUser } from '#operations/own.ts'
import { always, putBody } from '#operations/put-fields.ts'
import { Refused } from '#operations/refused.ts'
import { Slug } from '#operations/schemas.ts'
import { SubscriptionView, subscriptionView } from '#operations/subscription/subscription-view.ts'
import { movedToBundle } from './plan.ts'

export default operationOn(ownEndUser, {
  id: 'users.subscribe',
  method: 'PUT',
  path: '/v1/end-users/{externalId}/subscription',
  summary: 'Put an end user on a plan',
  description:
    'Takes effect with the next request, in the mode of the request. In live mode it applies to test mode too, until a request in test mode has put the end user on a plan there; a request in test mode never changes live mode. What is left of the pools of the old plan is taken off them, and returns with the plan. From the recurring pools of the new one is taken what other plans have paid in this period in the same unit, and their `consumed` says so: moving to and fro yields nothing. Each of it has its entry on the ledger. The periods stay where they are. A plan with a price is invoiced for the days that are left of its period; from a plan that costs less a day, less the days of that one that are left. Moving to a plan that costs no more a day is invoiced from the end of what was invoiced already. A cancellation is taken back. Being on the plan at its present price already changes nothing.',
  body: putBody({ bundle: always(Slug.meta({ description: 'Slug of the bundle.' })) }),
  output: SubscriptionView,
  async run(endUser, context, { body }) {
    const bundle = await ownBundle.find(body.bundle, context, 'bundle')
    if (bundle instanceof Refused) return bundle
    const moved = await movedToBundle(endUser, bundle, context)
    await context.store.endUsers.put(moved)
    return subscriptionView(moved, bundle, context)
  },
})
