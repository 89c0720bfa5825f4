import { operationOn } from '#operations/kernel/operation.ts'
import { modelReader, ModelView } from './model-view.ts'
import { editableModel } from './editable-model.ts'

export default operationOn(editableModel, {
  id: 'models.show',
  method: 'GET',
  path: '/v1/models/{name}',
  summary: 'Show a model name',
  description: 'Returns a model name, with the problems that keep it from being served.',
  output: ModelView,
  run: (alias, context) => modelReader(context).view(alias),
})
