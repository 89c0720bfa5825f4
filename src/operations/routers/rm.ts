import { operationOn } from '#operations/operation.ts'
import { ownRouter } from '#operations/own.ts'
import { nameInUse } from './name-in-use.ts'
import { RouterView, routerViewer } from './router-view.ts'

export default operationOn(ownRouter, {
  id: 'routers.rm',
  method: 'DELETE',
  path: '/v1/routers/{name}',
  summary: 'Remove a router',
  description:
    'Forgets the router and what bundles charge for its name, and answers what it was. Refused while another router leads to it. What was used under its name stays in usage and on the ledger.',
  output: RouterView,
  errors: ['in_use'],
  changes: 'application',
  async run(router, context) {
    const inUse = await nameInUse('router', router.name, context)
    if (inUse) return inUse
    const view = await routerViewer(context)(router)
    await context.store.routers.remove(router.applicationId, router.name)
    return view
  },
})
