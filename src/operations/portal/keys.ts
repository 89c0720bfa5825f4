import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { PortalKey, portalKey } from './key-view.ts'

export default operation({
  id: 'portal.keys',
  method: 'GET',
  path: '/v1/portal/keys',
  scope: 'end_user',
  summary: 'List the keys of the signed-in end user',
  description: 'Their keys in the mode of the session, newest first, revoked ones included. Never a secret.',
  query: pageQuery,
  output: listOf(PortalKey),
  run({ query }, context) {
    const { application, endUser, mode, store } = context
    const filter = { mode, endUserId: endUser.id }
    return answerOf(store.keys.list(application.id, filter, pageOf(query), modeTime(context)), portalKey)
  },
})
