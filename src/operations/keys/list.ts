import { operation } from '#operations/operation.ts'
import { findIfNamed, ownEndUser } from '#operations/own.ts'
import { Refused } from '#operations/refused.ts'
import { answerOf, ExternalId, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { KeyView, keyViews } from './key-view.ts'

export default operation({
  id: 'keys.list',
  method: 'GET',
  path: '/v1/keys',
  scope: 'application',
  summary: 'List keys',
  description: "The application's keys in the mode of the request, newest first, revoked ones included.",
  query: {
    ...pageQuery,
    endUserId: ExternalId.optional().meta({ description: 'External id: only keys of that person.' }),
  },
  output: listOf(KeyView),
  errors: ['not_found'],
  async run({ query }, context) {
    const { application, mode, store } = context
    const endUser = await findIfNamed(ownEndUser, query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const { next, rows } = await store.keys.list(application.id, mode, endUser?.id ?? null, pageOf(query))
    return answerOf({ rows: await keyViews(rows, context), next }, (view) => view)
  },
})
