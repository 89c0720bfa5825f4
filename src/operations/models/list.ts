import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { modelReader, ModelView } from './model-view.ts'

export default operation({
  id: 'models.list',
  method: 'GET',
  path: '/v1/models',
  scope: 'application',
  summary: 'List model names',
  description: "The application's names, newest first, with what keeps each from being served.",
  query: pageQuery,
  output: listOf(ModelView),
  run: ({ query }, context) =>
    answerOf(context.store.aliases.list(context.application.id, pageOf(query)), modelReader(context).view),
})
