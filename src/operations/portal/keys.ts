import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { PortalKey, portalKey } from '#operations/portal/shared/portal-key-view.ts'

export default operation({
  id: 'portal.keys',
  method: 'GET',
  path: '/v1/portal/keys',
  scope: 'end_user',
  summary: "List the end user's keys",
  description:
    "Returns the end user's keys in the mode of the session, newest first, including revoked keys. Secrets are never returned.",
  query: pageQuery,
  output: listOf(PortalKey),
  run({ query }, context) {
    const { application, endUser, mode, store } = context
    const filter = { mode, endUserId: endUser.id }
    return answerOf(store.keys.list(application.id, filter, pageOf(query), modeTime(context)), portalKey)
  },
})
