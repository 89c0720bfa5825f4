import * as z from 'zod'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { cancelAtPeriodEnd, endNow } from '#operations/billing/shared/keep-subscription-current.ts'
import { planOf } from '#operations/billing/shared/current-plan-and-pools.ts'
import { SubscriptionView, subscriptionView } from '#operations/subscription/shared/subscription-view.ts'

export default operationOn(ownEndUser, {
  id: 'subscription.cancel',
  method: 'POST',
  path: '/v1/end-users/{externalId}/subscription/cancel',
  summary: 'Cancel a subscription',
  description:
    "Cancels the subscription of an end user in the mode of the request. After the plan ends, the end user's keys are rejected until `users.subscribe` puts the end user on a plan. Wallet and ledger are kept.\n\n- By default, the plan ends when the invoiced period ends. If nothing was invoiced, the plan ends with the current period. Until then, `subscription.resume` can withdraw the cancellation.\n- With `atPeriodEnd: false`, the plan ends now. Invoices that are not due yet are voided, and payments are not refunded.\n- If the plan was already canceled, the request changes nothing, except that `atPeriodEnd: false` ends the plan now.",
  body: z.strictObject({
    atPeriodEnd: z.boolean().default(true).meta({
      description:
        'Whether the plan ends when the invoiced period ends. If false, the plan ends now. Defaults to true.',
    }),
  }),
  output: SubscriptionView,
  errors: ['subscription_ended'],
  isExtension: true,
  changes: ['subscription', 'invoices'],
  async run(endUser, context, { body }) {
    const { mode, ports, store } = context
    const bundle = await planOf(endUser, context)
    if (!bundle) return refused('subscription_ended', { id: endUser.externalId }, 'externalId')
    const billing = { store, newId: ports.newId }
    const who = { endUser, mode, nowMs: modeTime(context) }
    if (body.atPeriodEnd) {
      await cancelAtPeriodEnd(billing, who)
    } else {
      await endNow(billing, who)
      context.afterCommit(() => ports.ledger.complete({ endUserId: endUser.id, mode, nowMs: who.nowMs }))
    }
    return subscriptionView(endUser, bundle, context)
  },
})
