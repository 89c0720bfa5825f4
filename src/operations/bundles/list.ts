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
  query: pageQuery,
  output: listOf(BundleView),
  run: ({ query }, context) =>
    answerOf(context.store.bundles.list(context.application.id, pageOf(query)), (bundle) =>
      bundleView(bundle, context),
    ),
})
