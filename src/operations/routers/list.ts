import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { RouterView, routerViewer } from './router-view.ts'

export default operation({
  id: 'routers.list',
  method: 'GET',
  path: '/v1/routers',
  scope: 'application',
  summary: 'List routers',
  description: "The application's routers, newest first, with what keeps a target from being taken.",
  query: pageQuery,
  output: listOf(RouterView),
  run: ({ query }, context) =>
    answerOf(context.store.routers.list(context.application.id, pageOf(query)), routerViewer(context)),
})
