import { operationOn } from '#operations/kernel/operation.ts'
import { ownEndUser } from '#operations/kernel/owned-resources.ts'
import { EndUserView, endUserView } from './end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.show',
  method: 'GET',
  path: '/v1/end-users/{externalId}',
  summary: 'Show an end user',
  description: 'Returns an end user, with balance and usage in the mode of the request.',
  output: EndUserView,
  run: endUserView,
})
