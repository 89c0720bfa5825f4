import { operationOn } from '#operations/operation.ts'
import { ownModel } from '#operations/own.ts'
import { nameInUse } from '#operations/routers/name-in-use.ts'
import { modelReader, ModelView } from './model-view.ts'

export default operationOn(ownModel, {
  id: 'models.rm',
  method: 'DELETE',
  path: '/v1/models/{name}',
  summary: 'Remove a model name',
  description:
    'Forgets the name and what bundles charge for it, and answers what it was. Refused while a router leads to it. What was used under it stays in usage and on the ledger.',
  output: ModelView,
  errors: ['in_use'],
  changes: 'application',
  async run(alias, context) {
    const inUse = await nameInUse('alias', alias.name, context)
    if (inUse) return inUse
    const view = await modelReader(context).view(alias)
    await context.store.aliases.remove(alias.applicationId, alias.name)
    return view
  },
})
