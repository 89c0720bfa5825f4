import { operationOn } from '#operations/operation.ts'
import { ownRouter } from '#operations/own.ts'
import { RouterView, routerViewer } from './router-view.ts'

export default operationOn(ownRouter, {
  id: 'routers.show',
  method: 'GET',
  path: '/v1/routers/{name}',
  summary: 'Show a router',
  description: 'Returns a router, with the problem of each target that cannot be used.',
  output: RouterView,
  run: (router, context) => routerViewer(context)(router),
})
