import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ModelView, setDisabled } from '#operations/models/shared/model-view.ts'
import { modelWithEtag } from '#operations/models/shared/model-with-etag.ts'

export default operationOn(modelWithEtag, {
  id: 'models.disable',
  method: 'POST',
  path: '/v1/models/{name}/disable',
  summary: 'Disable a model name',
  description:
    'Stops serving the model name, starting with the next request. Requests in flight continue. The model name, its sources and its prices are kept.',
  output: ModelView,
  configures: 'application',
  run: (alias, context) => setDisabled(alias, true, context),
})
