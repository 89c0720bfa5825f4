import { namedSorts } from '#domain/list-sorting-and-filters.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { answerOf, listOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { sortedPageOf, sortQuery } from '#operations/kernel/sorted-list-parameters.ts'
import { BundleView, bundleView } from '#operations/bundles/shared/bundle-view.ts'

export default operation({
  id: 'bundles.list',
  method: 'GET',
  path: '/v1/bundles',
  scope: 'application',
  summary: 'List bundles',
  description: 'Returns the bundles of the application, newest first unless `sort` is set.',
  query: {
    ...pageQuery,
    ...sortQuery(namedSorts, 'Sort order: `created`, or `name` for the display name. Defaults to `created`.'),
  },
  output: listOf(BundleView),
  async run({ query }, context) {
    const page = sortedPageOf(query)
    if (page instanceof Refused) return page
    const rows = context.store.bundles.list(context.application.id, page)
    return answerOf(rows, (bundle) => bundleView(bundle, context))
  },
})
