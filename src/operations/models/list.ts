import { namedSorts } from '#domain/list-sorting-and-filters.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { answerOf, listOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { sortedPageOf, sortQuery } from '#operations/kernel/sorted-list-parameters.ts'
import { modelReader, ModelView } from '#operations/models/shared/model-view.ts'

export default operation({
  id: 'models.list',
  method: 'GET',
  path: '/v1/models',
  scope: 'application',
  summary: 'List model names',
  description:
    "Returns the application's model names, newest first unless `sort` is set, with the problems that prevent the gateway from serving each name.",
  query: {
    ...pageQuery,
    ...sortQuery(namedSorts, 'Sort order: `created` or `name`. Defaults to `created`.'),
  },
  output: listOf(ModelView),
  async run({ query }, context) {
    const page = sortedPageOf(query)
    if (page instanceof Refused) return page
    return answerOf(context.store.aliases.list(context.application.id, page), modelReader(context).view)
  },
})
