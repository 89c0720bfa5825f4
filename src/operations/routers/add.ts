import { operation } from '#operations/kernel/declare-operation.ts'
import { putValues } from '#operations/kernel/put-fields.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { accountLabels } from '#operations/requests/shared/request-view.ts'
import { AliasName } from '#operations/kernel/value-and-page-schemas.ts'
import {
  checkedDefinition,
  definitionOf,
  reachOf,
} from '#operations/routers/shared/check-router-definition.ts'
import {
  routerAsSent,
  RouterBody,
  routerPut,
  RouterView,
  routerViewer,
} from '#operations/routers/shared/router-view.ts'
import { routerWithEtag } from '#operations/routers/shared/router-with-etag.ts'

export default operation({
  id: 'routers.add',
  method: 'PUT',
  path: '/v1/routers/{name}',
  scope: 'application',
  summary: 'Create or update a router',
  description:
    "Creates a router, or changes the existing router, starting with the next request. End users request a router by its name, like a model.\n\n- A bundle that allows the router does not need to allow its targets.\n- The bundle's price for the requested name applies, not the prices for the names of the targets.\n- Targets that form a cycle, or a chain of more than four routers, are rejected.",
  parameters: {
    name: AliasName.meta({
      description:
        'Name of the router, as end users request it. The name must not match an existing model name. `/` may be percent-encoded.',
    }),
  },
  body: RouterBody,
  output: RouterView,
  errors: ['name_taken', 'not_found'],
  configures: 'application',
  async run({ body, path: { name } }, context) {
    const { application, nowMs, store } = context
    if (await store.aliases.byName(application.id, name))
      return refused('name_taken', { name, kind: 'model', path: '/v1/models' }, 'name')
    const existing = await store.routers.byName(application.id, name)
    const stored = existing && routerAsSent(existing, await accountLabels(context))
    const fields = putValues(routerPut, body, stored)
    if (fields instanceof Refused) return fields
    const definition =
      existing && body.targets === undefined
        ? definitionOf(fields, existing.targets)
        : checkedDefinition(name, fields, await reachOf(context))
    if (definition instanceof Refused) return definition
    const createdAtMs = existing?.createdAtMs ?? nowMs
    const router = { applicationId: application.id, name, createdAtMs, ...definition }
    await store.routers.put(router)
    return routerViewer(context)(router)
  },
  revision: ({ path }, context) => routerWithEtag.revision(path.name, context),
})
