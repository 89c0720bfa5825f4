import { operation } from '#operations/operation.ts'
import { ownRouter } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { AliasName } from '#operations/schemas.ts'
import { checkedDefinition, reachOf } from './checked-definition.ts'
import { RouterBody, RouterView, routerViewer } from './router-view.ts'

export default operation({
  id: 'routers.add',
  method: 'PUT',
  path: '/v1/routers/{name}',
  scope: 'application',
  summary: 'Build a router',
  description:
    'Makes the router or replaces it whole, from the next call on. Its name is one that end users ask for, as they do for a model: a bundle that allows it need not allow what it leads to, and they pay the price of the name that they asked for. Targets that lead in a circle, or through more than four routers, are refused.',
  parameters: {
    name: AliasName.meta({
      description: 'What end users call it, and no model is called; `/` may stand as it is or as `%2F`.',
    }),
  },
  body: RouterBody,
  output: RouterView,
  errors: ['name_taken', 'not_found'],
  changes: 'application',
  async run({ body, path: { name } }, context) {
    const { application, nowMs, store } = context
    if (await store.aliases.byName(application.id, name))
      return refused('name_taken', { name, kind: 'model', path: '/v1/models' }, 'name')
    const definition = checkedDefinition(name, body, await reachOf(context))
    if (definition instanceof Refused) return definition
    const existing = await store.routers.byName(application.id, name)
    const createdAtMs = existing?.createdAtMs ?? nowMs
    const router = { applicationId: application.id, name, createdAtMs, ...definition }
    await store.routers.put(router)
    return routerViewer(context)(router)
  },
  revision: ({ path }, context) => ownRouter.revision(path.name, context),
})
