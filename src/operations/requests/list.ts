import { operation } from '#operations/operation.ts'
import { findIfNamed, ownEndUserOrRemoved } from '#operations/own.ts'
import { Refused } from '#operations/refused.ts'
import { answerOf, ExternalId, listOf, pageOf, pageQuery, text } from '#operations/schemas.ts'
import { CallStatusSchema, RequestView, requestView } from './request-view.ts'

export default operation({
  id: 'requests.list',
  method: 'GET',
  path: '/v1/requests',
  scope: 'application',
  summary: 'List recent requests',
  description:
    'Gateway calls in the mode of the request, newest first: settled, refused and those in flight. Never their content.',
  query: {
    ...pageQuery,
    endUserId: ExternalId.optional().meta({
      description: 'External id, or the id `eu_…` of a removed person: only calls of that person.',
    }),
    keyId: text(64).optional().meta({ description: 'Id of a key: only calls with it.' }),
    model: text(128).optional().meta({ description: 'Only calls that asked for that name.' }),
    status: CallStatusSchema.optional().meta({ description: 'Only calls of that status.' }),
  },
  output: listOf(RequestView),
  errors: ['not_found'],
  async run({ query }, context) {
    const { application, mode, store } = context
    const endUser = await findIfNamed(ownEndUserOrRemoved, query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const filter = {
      endUserId: endUser?.id ?? null,
      keyId: query.keyId ?? null,
      alias: query.model ?? null,
      status: query.status ?? null,
    }
    return answerOf(store.requests.list(application.id, mode, filter, pageOf(query)), requestView)
  },
})
