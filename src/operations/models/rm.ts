import { operationOn } from '#operations/kernel/declare-operation.ts'
import { nameInUse } from '#operations/models/shared/model-name-in-use.ts'
import { modelReader, ModelView } from '#operations/models/shared/model-view.ts'
import { modelWithEtag } from '#operations/models/shared/model-with-etag.ts'

export default operationOn(modelWithEtag, {
  id: 'models.rm',
  method: 'DELETE',
  path: '/v1/models/{name}',
  summary: 'Delete a model name',
  description:
    'Deletes the model name and its prices in all bundles, and returns the deleted model name. Fails if a router routes to the model name. Past usage stays on record.',
  output: ModelView,
  errors: ['in_use'],
  configures: 'application',
  async run(alias, context) {
    const inUse = await nameInUse('alias', alias.name, context)
    if (inUse) return inUse
    const view = await modelReader(context).view(alias)
    await context.store.aliases.remove(alias.applicationId, alias.name)
    return view
  },
})
