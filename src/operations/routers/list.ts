import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { RouterView, routerViewer } from '#operations/routers/shared/router-view.ts'

export default operation({
  id: 'routers.list',
  method: 'GET',
  path: '/v1/routers',
  scope: 'application',
  summary: 'List routers',
  description:
    'Returns the routers of the application, newest first, with the problem of each target that cannot be used.',
  query: pageQuery,
  output: listOf(RouterView),
  run: ({ query }, context) =>
    answerOf(context.store.routers.list(context.application.id, pageOf(query)), routerViewer(context)),
})
