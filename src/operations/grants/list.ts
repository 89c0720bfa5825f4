import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { GrantView, grantViews } from '#operations/grants/shared/grant-view.ts'

export default operation({
  id: 'grants.list',
  method: 'GET',
  path: '/v1/grants',
  scope: 'application',
  summary: 'List grants',
  description: 'Returns the grants issued in the mode of the request, newest first.',
  query: pageQuery,
  output: listOf(GrantView),
  async run({ query }, context) {
    const { application, mode, store } = context
    const { next, rows } = await store.grants.list(application.id, mode, pageOf(query))
    return answerOf({ rows: await grantViews(rows, context), next }, (view) => view)
  },
})
