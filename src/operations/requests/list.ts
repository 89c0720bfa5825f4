import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { answerOf, listOf, Moment, pageOf, pageQuery } from '#operations/schemas.ts'
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
    from: Moment.optional().meta({ description: 'Only calls from that day (UTC) or time on.' }),
    to: Moment.optional().meta({ description: 'Only calls before that day (UTC) or time.' }),
  },
  output: listOf(RequestView),
  errors: ['not_found'],
  async run({ query }, context) {
    const { application, mode, store } = context
    const { from, to, ...filters } = query
    const filter = await filterOf(filters, context)
    if (filter instanceof Refused) return filter
    if (from !== undefined && to !== undefined && to <= from) {
      return refused('invalid_request', { reason: 'to must be later than from.' }, 'to')
    }
    const inTime = { ...filter, fromMs: from ?? null, toMs: to ?? null }
    const labels = await accountLabels(context)
    const page = await store.requests.list(application.id, mode, inTime, pageOf(query))
    const corrections = await correctionsByCall(page.rows, context)
    return answerOf(page, (call) => requestView(call, labels, corrections.get(call.callId)))
  },
})
