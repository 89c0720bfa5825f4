import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { ModelName, modelReader, modelRevision, ModelView, ownModel } from './model-view.ts'

export default operation({
  id: 'models.show',
  method: 'GET',
  path: '/v1/models/{name}',
  scope: 'application',
  summary: 'Show a model name',
  description: 'One name, with what keeps it from being served.',
  input: { path: { name: ModelName } },
  output: ModelView,
  errors: ['not_found'],
  async run({ path }, context) {
    const alias = await ownModel(path.name, context)
    return alias instanceof Refused ? alias : modelReader(context).view(alias)
  },
  revision: ({ path }, context) => modelRevision(path.name, context),
})
