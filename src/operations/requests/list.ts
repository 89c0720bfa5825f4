import { suffixOf } from '#domain/ids-sorted-by-time.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import {
  answerOf,
  listOf,
  Moment,
  pageOf,
  pageQuery,
  Slug,
  text,
} from '#operations/kernel/value-and-page-schemas.ts'
import { callFilters, filterOf } from '#operations/requests/shared/request-filters.ts'
import {
  callLabels,
  correctionsByCall,
  RequestView,
  requestView,
} from '#operations/requests/shared/request-view.ts'

export default operation({
  id: 'requests.list',
  method: 'GET',
  path: '/v1/requests',
  scope: 'application',
  summary: 'List recent requests',
  description:
    'Returns the gateway requests that match all filters, in the mode of this API request, newest first. Rejected requests and requests in flight are included. Content is never included. The server reads at most about 10,000 requests for a page. A page can therefore have fewer rows than `limit` although `nextCursor` is set.',
  query: {
    ...pageQuery,
    ...callFilters,
    outcome: Slug.optional().meta({
      description:
        'Returns only requests that count toward the outcome with this slug: charged requests and requests in flight. Released and rejected requests count toward no outcome.',
    }),
    runId: text(128).optional().meta({
      description:
        'ID of a run. Returns only requests in runs with this ID. Released and rejected requests are omitted.',
    }),
    usageRecordId: text(64).optional().meta({
      description: 'ID of a usage record, `ur_…`. Returns only the request with this usage record.',
    }),
    from: Moment.optional().meta({
      description:
        'Start of the range, inclusive: a day (UTC) or a time. Omit to start with the oldest request.',
    }),
    to: Moment.optional().meta({
      description: 'End of the range, exclusive: a day (UTC) or a time. Omit for no end.',
    }),
  },
  output: listOf(RequestView),
  errors: ['not_found'],
  async run({ query }, context) {
    const { application, mode, store } = context
    const { from, outcome, runId, to, usageRecordId, ...filters } = query
    const filter = await filterOf(filters, context)
    if (filter instanceof Refused) return filter
    if (from !== undefined && to !== undefined && to <= from) {
      return refused('invalid_request', { reason: 'to must be later than from.' }, 'to')
    }
    const callId = usageRecordId === undefined ? null : suffixOf('ur', usageRecordId)
    if (usageRecordId !== undefined && callId === null) return { data: [], nextCursor: null }
    const ofRun = { outcomeSlug: outcome ?? null, runId: runId ?? null, callId }
    const inTime = { ...filter, ...ofRun, fromMs: from ?? null, toMs: to ?? null }
    const labels = await callLabels(context)
    const page = await store.requests.list(application.id, mode, inTime, pageOf(query))
    const corrections = await correctionsByCall(page.rows, context)
    return answerOf(page, (call) => requestView(call, labels, corrections.get(call.callId)))
  },
})
