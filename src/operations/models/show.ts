import { operationOn } from '#operations/operation.ts'
import { ownModel } from '#operations/own.ts'
import { modelReader, ModelView } from './model-view.ts'

export default operationOn(ownModel, {
  id: 'models.show',
  method: 'GET',
  path: '/v1/models/{name}',
  summary: 'Show a model name',
  description: 'Returns a model name, with the problems that keep it from being served.',
  output: ModelView,
  run: (alias, context) => modelReader(context).view(alias),
})
