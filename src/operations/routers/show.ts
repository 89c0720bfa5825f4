import { operationOn } from '#operations/kernel/declare-operation.ts'
import { RouterView, routerViewer } from '#operations/routers/shared/router-view.ts'
import { routerWithEtag } from '#operations/routers/shared/router-with-etag.ts'

export default operationOn(routerWithEtag, {
  id: 'routers.show',
  method: 'GET',
  path: '/v1/routers/{name}',
  summary: 'Show a router',
  description: 'Returns a router, with the problem of each target that cannot be used.',
  output: RouterView,
  run: (router, context) => routerViewer(context)(router),
})
