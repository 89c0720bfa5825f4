import * as z from 'zod'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { Micros } from '#operations/kernel/value-and-page-schemas.ts'
import { setOnDemand } from '#operations/billing/shared/keep-subscription-current.ts'
import { SubscriptionView, subscriptionView } from '#operations/subscription/shared/subscription-view.ts'
import { planOf } from '#operations/billing/shared/current-plan-and-pools.ts'

export default operation({
  id: 'portal.onDemand',
  method: 'POST',
  path: '/v1/portal/on-demand',
  scope: 'end_user',
  summary: 'Set on-demand billing',
  description:
    'Enables or disables on-demand billing in the mode of the session, and sets its monthly ceiling. The change takes effect with the next request. On-demand billing pays only after pools and wallet are exhausted. The ceiling cannot exceed the maximum that the application has set with subscription.onDemand.',
  body: z.strictObject({
    enabled: z.boolean().meta({ description: 'Whether on-demand billing is enabled.' }),
    limitMicros: Micros.nullable().optional().meta({
      description:
        'Maximum on-demand usage per calendar month (UTC), in micros. Omit to keep the current value. Null means no ceiling, and is rejected if the application has set a maximum.',
    }),
  }),
  output: SubscriptionView,
  errors: ['not_found'],
  changes: ['subscription'],
  async run({ body }, context) {
    const { endUser, mode, store } = context
    const bundle = await planOf(endUser, context)
    if (!bundle) return refused('not_found', { resource: 'subscription of', id: endUser.externalId })
    const ceilingMicros = await store.portals.onDemandCeiling(endUser.id, mode)
    const { limitMicros: present } = await store.balances.onDemand(endUser.id, mode)
    const limitMicros = body.limitMicros === undefined ? lower(present, ceilingMicros) : body.limitMicros
    if (ceilingMicros !== null && (limitMicros === null || limitMicros > ceilingMicros)) {
      const reason = `limitMicros must be at most ${ceilingMicros}, the maximum that the application has set.`
      return refused('invalid_request', { reason }, 'limitMicros')
    }
    const who = { endUser, mode, nowMs: modeTime(context) }
    await setOnDemand({ store, newId: context.ports.newId }, who, { isEnabled: body.enabled, limitMicros })
    return subscriptionView(endUser, bundle, context)
  },
})

function lower(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
