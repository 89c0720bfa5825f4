import { operation } from '#operations/kernel/declare-operation.ts'
import { everyCall } from '#domain/calls/call-filter.ts'
import { callFilters } from '#operations/requests/shared/request-filters.ts'
import { correctionsByCall } from '#operations/requests/shared/request-view.ts'
import { answerOf, listOf, Moment, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { PortalRequest, portalRequest } from '#operations/portal/shared/portal-request-view.ts'

export default operation({
  id: 'portal.requests',
  method: 'GET',
  path: '/v1/portal/requests',
  scope: 'end_user',
  isExtension: true,
  summary: "List the end user's requests",
  description:
    "Returns the signed-in end user's requests in the session's mode, newest first. Rejected requests and requests in flight are included. The content of requests and responses is never returned.",
  query: {
    ...pageQuery,
    keyId: callFilters.keyId,
    model: callFilters.model,
    status: callFilters.status,
    from: Moment.optional().meta({
      description: 'Returns only requests at or after this day (UTC) or time.',
    }),
    to: Moment.optional().meta({ description: 'Returns only requests before this day (UTC) or time.' }),
  },
  output: listOf(PortalRequest),
  async run({ query }, context) {
    const { application, endUser, mode, store } = context
    const filter = {
      ...everyCall,
      endUserId: endUser.id,
      keyId: query.keyId ?? null,
      alias: query.model ?? null,
      status: query.status ?? null,
      fromMs: query.from ?? null,
      toMs: query.to ?? null,
    }
    const page = await store.requests.list(application.id, mode, filter, pageOf(query))
    const corrections = await correctionsByCall(page.rows, context)
    return answerOf(page, (call) => portalRequest(call, corrections.get(call.callId)))
  },
})
