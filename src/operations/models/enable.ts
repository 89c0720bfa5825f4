import { operationOn } from '#operations/operation.ts'
import { ownModel } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { modelReader, ModelView, setDisabled } from './model-view.ts'

export default operationOn(ownModel, {
  id: 'models.enable',
  method: 'POST',
  path: '/v1/models/{name}/enable',
  summary: 'Serve a model name again',
  description:
    'From the next call on. Refused while no source and no bundle has a price for it, naming what is missing.',
  output: ModelView,
  errors: ['model_unpriced'],
  changes: 'application',
  async run(alias, context) {
    const { missing, status } = await modelReader(context).state({ ...alias, isDisabled: false })
    if (status === 'unpriced' && missing) {
      const dimensions = missing.dimensions.join(', ')
      const { account } = missing
      const reason = `it lacks ${dimensions}: set it with POST /v1/providers/${account}/price or POST /v1/bundles/<slug>/price`
      return refused('model_unpriced', { model: alias.name, account, dimensions, reason }, 'name')
    }
    return setDisabled(alias, false, context)
  },
})
