import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { BundleView, bundleView } from './bundle-view.ts'

export default operation({
  id: 'bundles.list',
  method: 'GET',
  path: '/v1/bundles',
  scope: 'application',
  summary: 'List bundles',
  description: "The application's bundles, newest first.",
  input: { query: pageQuery },
  output: listOf(BundleView),
  errors: [],
  async run({ query }, context) {
    const { next, rows } = await context.store.bundles.list(context.application.id, pageOf(query))
    const views = await Promise.all(rows.map((bundle) => bundleView(bundle, context)))
    return answerOf({ rows: views, next }, (view) => view)
  },
})
