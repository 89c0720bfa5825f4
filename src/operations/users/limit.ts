import { operationOn } from '#operations/operation.ts'
import { ownEndUser } from '#operations/own.ts'
import { always, putBody } from '#operations/put-fields.ts'
import { EndUserLimits } from './end-user-limits.ts'
import { EndUserView, endUserView } from './end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.limit',
  method: 'PUT',
  path: '/v1/end-users/{externalId}/limit',
  isExtension: true,
  summary: 'Set the limits of an end user',
  description:
    'Replaces the limits of one end user in the mode of the request; an empty list removes all of them. The limits count every key and every plan of the end user, including what was spent in the current window before. They take effect with the next request; requests in flight are not affected.',
  body: putBody({
    limits: always(EndUserLimits.meta({ description: 'The limits, at most one per window.' })),
  }),
  output: EndUserView,
  async run(endUser, context, { body }) {
    const limits = body.limits.map(({ most, window }) => ({ window, micros: most }))
    await context.store.balances.setLimits(endUser.id, context.mode, limits)
    return endUserView(endUser, context)
  },
})
