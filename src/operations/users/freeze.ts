import { operationOn } from '#operations/operation.ts'
import { ownEndUser } from '#operations/own.ts'
import { EndUserView, setFrozen } from './end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.freeze',
  method: 'POST',
  path: '/v1/end-users/{externalId}/freeze',
  summary: "Stop an end user's spending",
  description:
    'From the next call on, in both modes; calls in flight end and are charged. Keys and balance stay. Freezing again changes nothing.',
  output: EndUserView,
  run: (endUser, context) => setFrozen(endUser, endUser.frozenAtMs ?? context.nowMs, context),
})
