import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { findIfNamed, ownEndUserOrRemoved, ownProvider } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { answerOf, ExternalId, listOf, Micros, Moment, pageOf, pageQuery, text } from '#operations/schemas.ts'
import { accountLabels, CallStatusSchema, RequestView, requestView } from './request-view.ts'

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
    endUserId: ExternalId.optional().meta({
      description: 'External id, or the id `eu_…` of a removed person: only calls of that person.',
    }),
    keyId: text(64).optional().meta({ description: 'Id of a key, `key_…`: only calls with it.' }),
    model: text(128).optional().meta({ description: 'Only calls that asked for that name.' }),
    provider: text(64).optional().meta({
      description:
        'Label of a provider account, or its id, `pa_…`, also of one that is gone: only calls that it answered, or would have.',
    }),
    status: CallStatusSchema.optional().meta({ description: 'Only calls of that status.' }),
    statusClass: z
      .enum(['2xx', '4xx', '5xx'])
      .optional()
      .meta({ description: 'Only calls whose answer had an HTTP status of that class.' }),
    errorCode: text(64)
      .optional()
      .meta({ description: 'Only calls that failed or were refused with that code.' }),
    minCostMicros: Micros.optional().meta({
      description: 'Only calls that the provider account is charged at least so much for, in micros.',
    }),
    from: Moment.optional().meta({ description: 'Only calls from that day (UTC) or time on.' }),
    to: Moment.optional().meta({ description: 'Only calls before that day (UTC) or time.' }),
  },
  output: listOf(RequestView),
  errors: ['not_found'],
  async run({ query }, context) {
    const { application, mode, store } = context
    const endUser = await findIfNamed(ownEndUserOrRemoved, query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const accountId = await accountOf(query.provider, context)
    if (accountId instanceof Refused) return accountId
    const { errorCode, from, keyId, minCostMicros, model, status, statusClass, to } = query
    if (from !== undefined && to !== undefined && to <= from) {
      return refused('invalid_request', { reason: 'to must be later than from.' }, 'to')
    }
    const filter = {
      endUserId: endUser?.id ?? null,
      keyId: keyId ?? null,
      alias: model ?? null,
      status: status ?? null,
      accountId,
      statusClass: statusClass ?? null,
      errorCode: errorCode ?? null,
      minCostMicros: minCostMicros ?? null,
      fromMs: from ?? null,
      toMs: to ?? null,
    }
    const labels = await accountLabels(context)
    return answerOf(store.requests.list(application.id, mode, filter, pageOf(query)), (call) =>
      requestView(call, labels),
    )
  },
})

/** An id is taken as it is: calls outlive their account. In test mode the simulator answers every call. */
async function accountOf(
  named: string | undefined,
  context: ApplicationContext,
): Promise<string | null | Refused<'not_found'>> {
  if (named === undefined) return null
  if (named.startsWith('pa_') || (named === 'simulator' && context.mode === 'test')) return named
  const found = await ownProvider.find(named, context, 'provider')
  return found instanceof Refused ? found : found.id
}
