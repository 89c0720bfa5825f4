import * as z from 'zod'
import { modeTime } from '#operations/mode-time.ts'
import { operationOn } from '#operations/operation.ts'
import { ownEndUser } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { cancelAtPeriodEnd, endNow } from './billing.ts'
import { planOf, SubscriptionView, subscriptionView } from './subscription-view.ts'

export default operationOn(ownEndUser, {
  id: 'subscription.cancel',
  method: 'POST',
  path: '/v1/end-users/{externalId}/subscription/cancel',
  summary: 'Cancel a subscription',
  description:
    'In the mode of the request. At the end of what was invoiced, or of the period where nothing was, the person is on no plan: their keys call nothing until `users.subscribe`, and wallet and ledger stay. With `atPeriodEnd: false` the plan ends now: invoices that are not due yet are void, and nothing that was paid is given back. Until it has ended `subscription.resume` takes it back. Cancelling again changes nothing, or ends it now.',
  body: z.strictObject({
    atPeriodEnd: z
      .boolean()
      .default(true)
      .meta({ description: 'True: at the end of what was invoiced; false: now.' }),
  }),
  output: SubscriptionView,
  errors: ['subscription_ended'],
  isExtension: true,
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
