import { operationOn } from '#operations/kernel/operation.ts'
import { RouterView, routerViewer } from './router-view.ts'
import { routerWithEtag } from './router-with-etag.ts'

export default operationOn(routerWithEtag, {
  id: 'routers.show',
  method: 'GET',
  path: '/v1/routers/{name}',
  summary: 'Show a router',
  description: 'Returns a router, with the problem of each target that cannot be used.',
  output: RouterView,
  run: (router, context) => routerViewer(context)(router),
})
