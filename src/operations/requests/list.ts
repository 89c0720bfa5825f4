import { suffixOf } from '#domain/id.ts'
import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { answerOf, listOf, Moment, pageOf, pageQuery, Slug, text } from '#operations/schemas.ts'
import { callFilters, filterOf } from './call-filters.ts'
import { accountLabels, correctionsByCall, RequestView, requestView } from './request-view.ts'

export default operation({
  id: 'requests.list',
  method: 'GET',
  path: '/v1/requests',
  scope: 'application',
  summary: 'List recent requests',
  description:
    'Gateway calls in the mode of the request, newest first: settled, refused and those in flight. Never their content. Filters narrow each other. A page looks at some 10,000 calls at most: where few of them match, it may have fewer rows than `limit`, or none, while `nextCursor` goes on.',
  query: {
    ...pageQuery,
    ...callFilters,
    outcome: Slug.optional().meta({
      description:
        'Slug of an outcome. Returns only charged calls and calls in flight that counted toward it; released and refused calls count toward none.',
    }),
    runId: text(128).optional().meta({
      description: 'ID of a run. Returns only charged calls and calls in flight of runs with this ID.',
    }),
    usageRecordId: text(64)
      .optional()
      .meta({ description: 'ID of a usage record, `ur_…`. Returns only the call that it belongs to.' }),
    from: Moment.optional().meta({ description: 'Only calls from that day (UTC) or time on.' }),
    to: Moment.optional().meta({ description: 'Only calls before that day (UTC) or time.' }),
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
    const labels = await accountLabels(context)
    const page = await store.requests.list(application.id, mode, inTime, pageOf(query))
    const corrections = await correctionsByCall(page.rows, context)
    return answerOf(page, (call) => requestView(call, labels, corrections.get(call.callId)))
  },
})
