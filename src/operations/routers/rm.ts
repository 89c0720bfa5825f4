import { operationOn } from '#operations/kernel/declare-operation.ts'
import { nameInUse } from '#operations/models/shared/model-name-in-use.ts'
import { RouterView, routerViewer } from '#operations/routers/shared/router-view.ts'
import { routerWithEtag } from '#operations/routers/shared/router-with-etag.ts'

export default operationOn(routerWithEtag, {
  id: 'routers.rm',
  method: 'DELETE',
  path: '/v1/routers/{name}',
  summary: 'Delete a router',
  description:
    'Deletes the router and its prices in all bundles, and returns the deleted router. Fails with `in_use` while another router routes to this router. Past usage under the name of the router remains on record.',
  output: RouterView,
  errors: ['in_use'],
  configures: 'application',
  async run(router, context) {
    const inUse = await nameInUse('router', router.name, context)
    if (inUse) return inUse
    const view = await routerViewer(context)(router)
    await context.store.routers.remove(router.applicationId, router.name)
    return view
  },
})
