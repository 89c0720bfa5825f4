import { operationOn } from '#operations/operation.ts'
import { ownRouter } from '#operations/own.ts'
import { RouterView, routerViewer } from './router-view.ts'

export default operationOn(ownRouter, {
  id: 'routers.show',
  method: 'GET',
  path: '/v1/routers/{name}',
  summary: 'Show a router',
  description: 'One router, with what keeps a target from being taken.',
  output: RouterView,
  run: (router, context) => routerViewer(context)(router),
})
