import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { resume } from '#operations/billing/shared/keep-subscription-current.ts'
import { planOf } from '#operations/billing/shared/current-plan-and-pools.ts'
import { SubscriptionView, subscriptionView } from '#operations/subscription/shared/subscription-view.ts'

export default operationOn(ownEndUser, {
  id: 'subscription.resume',
  method: 'POST',
  path: '/v1/end-users/{externalId}/subscription/resume',
  summary: 'Resume a subscription',
  description:
    'Withdraws the cancellation of a subscription in the mode of the request, if the plan has not ended yet. A subscription that was not canceled is unchanged.',
  output: SubscriptionView,
  errors: ['subscription_ended'],
  isExtension: true,
  async run(endUser, context) {
    const { mode, ports, store } = context
    const bundle = await planOf(endUser, context)
    if (!bundle) return refused('subscription_ended', { id: endUser.externalId }, 'externalId')
    await resume({ store, newId: ports.newId }, { endUser, mode, nowMs: modeTime(context) })
    return subscriptionView(endUser, bundle, context)
  },
})
