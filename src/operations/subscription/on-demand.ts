import * as z from 'zod'
import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ExternalId, Micros } from '#operations/schemas.ts'
import { setOnDemand } from './billing.ts'
import { subscriber, SubscriptionView, subscriptionView } from './subscription-view.ts'

export default operation({
  id: 'subscription.onDemand',
  method: 'POST',
  path: '/v1/subscription/on-demand',
  scope: 'application',
  summary: 'Set on-demand overage',
  description:
    'Turns overage on or off for a person in the mode of the request, from the next call on, with a monthly ceiling of their own, which they cannot raise in the portal. It pays only once pools and wallet are spent.',
  body: z.strictObject({
    endUserId: ExternalId,
    enabled: z.boolean().meta({ description: 'Whether more may be used than is paid for.' }),
    limitMicros: Micros.nullable()
      .optional()
      .meta({ description: 'The monthly ceiling (UTC); null: none; left out: as it is.' }),
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
