import * as z from 'zod'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'
import { EndUserView, setFrozen } from '#operations/users/shared/end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.freeze',
  method: 'POST',
  path: '/v1/end-users/{externalId}/freeze',
  summary: 'Freeze an end user',
  description:
    'Stops all spending of an end user in both modes, starting with the next request. Requests in flight continue and are charged. Keys and balance are kept. Freezing a frozen end user again keeps `frozenAt`, and replaces the reason if a reason is given.',
  body: z.strictObject({
    reason: text(256).optional().meta({
      description:
        'Reason for the freeze. Only the team can see the reason. Omit to keep the current reason.',
    }),
  }),
  output: EndUserView,
  run(endUser, context, { body }) {
    const frozenAtMs = endUser.frozenAtMs ?? context.nowMs
    return setFrozen(endUser, { frozenAtMs, frozenReason: body.reason ?? endUser.frozenReason }, context)
  },
})
