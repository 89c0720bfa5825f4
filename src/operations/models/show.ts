import { operationOn } from '#operations/kernel/declare-operation.ts'
import { modelReader, ModelView } from '#operations/models/shared/model-view.ts'
import { modelWithEtag } from '#operations/models/shared/model-with-etag.ts'

export default operationOn(modelWithEtag, {
  id: 'models.show',
  method: 'GET',
  path: '/v1/models/{name}',
  summary: 'Show a model name',
  description: 'Returns a model name, with the problems that prevent the gateway from serving it.',
  output: ModelView,
  run: (alias, context) => modelReader(context).view(alias),
})
