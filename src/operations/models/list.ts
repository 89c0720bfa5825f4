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
  input: { query: pageQuery },
  output: listOf(ModelView),
  errors: [],
  async run({ query }, context) {
    const { next, rows } = await context.store.aliases.list(context.application.id, pageOf(query))
    const reader = modelReader(context)
    const views = await Promise.all(rows.map((alias) => reader.view(alias)))
    return answerOf({ rows: views, next }, (view) => view)
  },
})
