import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ModelName, modelReader, modelRevision, ModelView, ownModel } from './model-view.ts'

export default operation({
  id: 'models.rm',
  method: 'DELETE',
  path: '/v1/models/{name}',
  scope: 'application',
  summary: 'Remove a model name',
  description:
    'Forgets the name and what bundles charge for it, and answers what it was. What was used under it stays in usage and on the ledger.',
  input: { path: { name: ModelName } },
  output: ModelView,
  errors: ['not_found'],
  async run({ path }, context) {
    const { application, store } = context
    const alias = await ownModel(path.name, context)
    if (alias instanceof Refused) return alias
    const view = await modelReader(context).view(alias)
    await store.aliases.remove(application.id, alias.name)
    await store.applications.raiseVersion(application.id)
    return view
  },
  revision: ({ path }, context) => modelRevision(path.name, context),
})
