import { operationOn } from '#operations/kernel/operation.ts'
import { ownEndUser } from '#operations/kernel/own.ts'
import { always, putBody } from '#operations/kernel/put-fields.ts'
import { EndUserLimits } from './end-user-limits.ts'
import { EndUserView, endUserView } from './end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.limit',
  method: 'PUT',
  path: '/v1/end-users/{externalId}/limit',
  isExtension: true,
  summary: "Set an end user's limits",
  description:
    'Replaces the limits of an end user in the mode of the request. An empty list removes all limits. The limits apply over all keys and plans, and count earlier spend in the current window. They take effect with the next request; requests in flight are not affected.',
  body: putBody({
    limits: always(EndUserLimits.meta({ description: 'Limits of the end user, at most one per window.' })),
  }),
  output: EndUserView,
  async run(endUser, context, { body }) {
    const limits = body.limits.map(({ most, window }) => ({ window, micros: most }))
    await context.store.balances.setLimits(endUser.id, context.mode, limits)
    return endUserView(endUser, context)
  },
})
