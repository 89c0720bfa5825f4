import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ModelName, modelReader, modelRevision, ModelView, ownModel } from './model-view.ts'

export default operation({
  id: 'models.disable',
  method: 'POST',
  path: '/v1/models/{name}/disable',
  scope: 'application',
  summary: 'Stop serving a model name',
  description: 'From the next call on; calls in flight go on. The name, its sources and its prices are kept.',
  input: { path: { name: ModelName } },
  output: ModelView,
  errors: ['not_found'],
  async run({ path }, context) {
    const { application, store } = context
    const alias = await ownModel(path.name, context)
    if (alias instanceof Refused) return alias
    await store.aliases.setDisabled(application.id, alias.name, true)
    await store.applications.raiseVersion(application.id)
    return modelReader(context).view({ ...alias, isDisabled: true })
  },
  revision: ({ path }, context) => modelRevision(path.name, context),
})
