import { operationOn } from '#operations/operation.ts'
import { ownEndUser } from '#operations/own.ts'
import { EndUserView, setFrozen } from './end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.unfreeze',
  method: 'POST',
  path: '/v1/end-users/{externalId}/unfreeze',
  summary: 'Let an end user spend again',
  description: 'From the next call on. Unfreezing someone who may spend changes nothing.',
  output: EndUserView,
  run: (endUser, context) => setFrozen(endUser, { frozenAtMs: null, frozenReason: null }, context),
})
