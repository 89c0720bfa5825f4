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
  run: ({ query }, { application, endUser, mode, store }) =>
    answerOf(store.keys.list(application.id, mode, endUser.id, pageOf(query)), portalKey),
})
