import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { EndUserView, endUserView } from '#operations/users/shared/end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.show',
  method: 'GET',
  path: '/v1/end-users/{externalId}',
  summary: 'Show an end user',
  description: 'Returns an end user, with balance and usage in the mode of the request.',
  output: EndUserView,
  run: endUserView,
})
