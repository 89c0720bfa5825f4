import * as z from 'zod'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { ExternalId, Micros } from '#operations/kernel/value-and-page-schemas.ts'
import { setOnDemand } from '#operations/billing/shared/keep-subscription-current.ts'
import {
  subscriber,
  SubscriptionView,
  subscriptionView,
} from '#operations/subscription/shared/subscription-view.ts'

export default operation({
  id: 'subscription.onDemand',
  method: 'POST',
  path: '/v1/subscription/on-demand',
  scope: 'application',
  summary: 'Set on-demand billing',
  description:
    'Turns on-demand billing on or off for one end user in the mode of the request, starting with the next request. On-demand billing pays only after pools and wallet are used up. The end user cannot raise the monthly ceiling in the portal.',
  body: z.strictObject({
    endUserId: ExternalId,
    enabled: z.boolean().meta({ description: 'Whether usage beyond pools and wallet is billed on demand.' }),
    limitMicros: Micros.nullable().optional().meta({
      description:
        'Maximum on-demand usage per calendar month (UTC), in micros. Null means no limit. Omit to keep the current value.',
    }),
  }),
  output: SubscriptionView,
  errors: ['not_found'],
  async run({ body }, context) {
    const { mode, ports, store } = context
    const found = await subscriber(body.endUserId, context)
    if (found instanceof Refused) return found
    const { bundle, endUser } = found
    const current = await store.balances.onDemand(endUser.id, mode)
    const limitMicros = body.limitMicros === undefined ? current.limitMicros : body.limitMicros
    if (body.limitMicros !== undefined) {
      await store.portals.setOnDemandCeiling(endUser.id, mode, body.limitMicros)
    }
    const who = { endUser, mode, nowMs: modeTime(context) }
    await setOnDemand({ store, newId: ports.newId }, who, { isEnabled: body.enabled, limitMicros })
    return subscriptionView(endUser, bundle, context)
  },
})
