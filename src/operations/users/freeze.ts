import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ExternalId } from '#operations/schemas.ts'
import { EndUserView, endUserView, ownEndUser } from './end-user-view.ts'

export default operation({
  id: 'users.freeze',
  method: 'POST',
  path: '/v1/end-users/{externalId}/freeze',
  scope: 'application',
  summary: "Stop an end user's spending",
  description:
    'From the next call on, in both modes; calls in flight end and are charged. Keys and balance stay. Freezing again changes nothing.',
  input: { path: { externalId: ExternalId } },
  output: EndUserView,
  errors: ['not_found'],
  async run({ path }, context) {
    const endUser = await ownEndUser(path.externalId, context)
    if (endUser instanceof Refused) return endUser
    const frozen = { ...endUser, frozenAtMs: endUser.frozenAtMs ?? context.nowMs }
    await context.store.endUsers.put(frozen)
    return endUserView(frozen, context)
  },
})
