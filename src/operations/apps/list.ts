import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { ApplicationView, applicationView } from './application-view.ts'

export default operation({
  id: 'apps.list',
  method: 'GET',
  path: '/v1/apps',
  scope: 'organization',
  summary: 'List applications',
  description: "The organization's applications, newest first, archived ones included.",
  input: { query: pageQuery },
  output: listOf(ApplicationView),
  errors: [],
  async run({ query }, context) {
    const { next, rows } = await context.store.applications.list(context.organization.id, pageOf(query))
    const views = await Promise.all(rows.map((application) => applicationView(application, context)))
    return answerOf({ rows: views, next }, (view) => view)
  },
})
