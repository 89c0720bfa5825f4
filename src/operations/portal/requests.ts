import { operation } from '#operations/operation.ts'
import { CallStatusSchema, correctionsByCall } from '#operations/requests/request-view.ts'
import { answerOf, listOf, Moment, pageOf, pageQuery, text } from '#operations/schemas.ts'
import { PortalRequest, portalRequest } from './request-view.ts'

export default operation({
  id: 'portal.requests',
  method: 'GET',
  path: '/v1/portal/requests',
  scope: 'end_user',
  isExtension: true,
  summary: 'List recent requests of the signed-in end user',
  description:
    'Their calls in the mode of the session, newest first: settled, refused and those in flight. Never their content.',
  query: {
    ...pageQuery,
    keyId: text(64).optional().meta({ description: 'Id of a key of theirs: only calls with it.' }),
    model: text(128).optional().meta({ description: 'Only calls that asked for that name.' }),
    status: CallStatusSchema.optional().meta({ description: 'Only calls of that status.' }),
    from: Moment.optional().meta({ description: 'Only calls from that day (UTC) or time on.' }),
    to: Moment.optional().meta({ description: 'Only calls before that day (UTC) or time.' }),
  },
  output: listOf(PortalRequest),
  async run({ query }, context) {
    const { application, endUser, mode, store } = context
    const filter = {
      endUserId: endUser.id,
      keyId: query.keyId ?? null,
      alias: query.model ?? null,
      status: query.status ?? null,
      accountId: null,
      statusClass: null,
      errorCode: null,
      minCostMicros: null,
      fromMs: query.from ?? null,
      toMs: query.to ?? null,
    }
    const page = await store.requests.list(application.id, mode, filter, pageOf(query))
    const corrections = await correctionsByCall(page.rows, context)
    return answerOf(page, (call) => portalRequest(call, corrections.get(call.callId)))
  },
})
