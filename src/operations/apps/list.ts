import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { ApplicationView, applicationView } from './application-view.ts'

export default operation({
  id: 'apps.list',
  method: 'GET',
  path: '/v1/apps',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'List applications',
  description:
    "The organization's applications, newest first, archived ones included; of a credential of one application, that one.",
  query: pageQuery,
  output: listOf(ApplicationView),
  run: ({ query }, context) =>
    answerOf(
      context.store.applications.list(context.organization.id, context.actor.applicationId, pageOf(query)),
      (application) => applicationView(application, context),
    ),
})
