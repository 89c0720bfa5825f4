import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownBundle, ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { always, putBody } from '#operations/kernel/put-fields.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { Slug } from '#operations/kernel/value-and-page-schemas.ts'
import { SubscriptionView, subscriptionView } from '#operations/subscription/shared/subscription-view.ts'
import { movedToBundle } from '#operations/users/shared/assign-bundle-to-end-user.ts'

export default operationOn(ownEndUser, {
  id: 'users.subscribe',
  method: 'PUT',
  path: '/v1/end-users/{externalId}/subscription',
  summary: 'Put an end user on a plan',
  description:
    "Puts an end user on a plan in the mode of the request, starting with the next request. A pending cancellation is withdrawn. If the end user is already on the plan at its current price, nothing changes.\n\n- Modes: a change in live mode also applies in test mode, until a plan is set in test mode. A change in test mode never affects live mode.\n- Pools: the remaining credit of the old plan's pools is removed, and is restored when the end user returns to that plan. If pools of other plans paid in this period, recurring pools of the new plan with the same unit count these amounts as `consumed`. End users therefore gain no credit by changing plans back and forth. The ledger has an entry for each change of a pool. The pools of the new plan renew on the same day as the old pools.\n- Invoices: a plan with a price is invoiced for the remaining days of its period. If the old plan costs less per day than the new plan, the price of its remaining days is deducted. Otherwise, the new plan is first invoiced when the invoiced period of the old plan ends.",
  body: putBody({ bundle: always(Slug.meta({ description: 'Slug of the bundle.' })) }),
  output: SubscriptionView,
  changes: ['users', 'subscription', 'invoices'],
  async run(endUser, context, { body }) {
    const bundle = await ownBundle.find(body.bundle, context, 'bundle')
    if (bundle instanceof Refused) return bundle
    const moved = await movedToBundle(endUser, bundle, context)
    await context.store.endUsers.put(moved)
    return subscriptionView(moved, bundle, context)
  },
})
