import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ExternalId } from '#operations/schemas.ts'
import { EndUserView, endUserView, ownEndUser } from './end-user-view.ts'

export default operation({
  id: 'users.show',
  method: 'GET',
  path: '/v1/end-users/{externalId}',
  scope: 'application',
  summary: 'Show an end user',
  description: 'One person, with balance and usage in the mode of the request.',
  input: { path: { externalId: ExternalId } },
  output: EndUserView,
  errors: ['not_found'],
  async run({ path }, context) {
    const endUser = await ownEndUser(path.externalId, context)
    return endUser instanceof Refused ? endUser : endUserView(endUser, context)
  },
})
