import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ExternalId } from '#operations/schemas.ts'
import { EndUserView, endUserView, ownEndUser } from './end-user-view.ts'

export default operation({
  id: 'users.unfreeze',
  method: 'POST',
  path: '/v1/end-users/{externalId}/unfreeze',
  scope: 'application',
  summary: 'Let an end user spend again',
  description: 'From the next call on. Unfreezing someone who may spend changes nothing.',
  input: { path: { externalId: ExternalId } },
  output: EndUserView,
  errors: ['not_found'],
  async run({ path }, context) {
    const endUser = await ownEndUser(path.externalId, context)
    if (endUser instanceof Refused) return endUser
    const free = { ...endUser, frozenAtMs: null }
    await context.store.endUsers.put(free)
    return endUserView(free, context)
  },
})
