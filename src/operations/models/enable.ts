import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { ModelName, modelReader, modelRevision, ModelView, ownModel } from './model-view.ts'

export default operation({
  id: 'models.enable',
  method: 'POST',
  path: '/v1/models/{name}/enable',
  scope: 'application',
  summary: 'Serve a model name again',
  description:
    'From the next call on. Refused while no source and no bundle has a price for it, naming what is missing.',
  input: { path: { name: ModelName } },
  output: ModelView,
  errors: ['not_found', 'model_unpriced'],
  async run({ path }, context) {
    const { application, store } = context
    const alias = await ownModel(path.name, context)
    if (alias instanceof Refused) return alias
    const enabled = { ...alias, isDisabled: false }
    const reader = modelReader(context)
    const { missing, status } = await reader.state(enabled)
    if (status === 'unpriced' && missing) {
      const dimensions = missing.dimensions.join(', ')
      const { account } = missing
      const reason = `it lacks ${dimensions}: set it with POST /v1/providers/${account}/price or POST /v1/bundles/<slug>/price`
      return refused('model_unpriced', { model: alias.name, account, dimensions, reason }, 'name')
    }
    await store.aliases.setDisabled(application.id, alias.name, false)
    await store.applications.raiseVersion(application.id)
    return reader.view(enabled)
  },
  revision: ({ path }, context) => modelRevision(path.name, context),
})
