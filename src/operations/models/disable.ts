import { operationOn } from '#operations/operation.ts'
import { ownModel } from '#operations/own.ts'
import { ModelView, setDisabled } from './model-view.ts'

export default operationOn(ownModel, {
  id: 'models.disable',
  method: 'POST',
  path: '/v1/models/{name}/disable',
  summary: 'Stop serving a model name',
  description: 'From the next call on; calls in flight go on. The name, its sources and its prices are kept.',
  output: ModelView,
  changes: 'application',
  run: (alias, context) => setDisabled(alias, true, context),
})
