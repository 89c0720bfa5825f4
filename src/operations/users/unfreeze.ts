import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { EndUserView, setFrozen } from '#operations/users/shared/end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.unfreeze',
  method: 'POST',
  path: '/v1/end-users/{externalId}/unfreeze',
  summary: 'Unfreeze an end user',
  description:
    'Allows an end user to spend again in both modes, starting with the next request. Unfreezing an end user who is not frozen changes nothing.',
  output: EndUserView,
  run: (endUser, context) => setFrozen(endUser, { frozenAtMs: null, frozenReason: null }, context),
})
