import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { ApplicationView, applicationView } from '#operations/apps/shared/application-view.ts'

export default operation({
  id: 'apps.list',
  method: 'GET',
  path: '/v1/apps',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'List applications',
  description:
    'Returns the applications of the organization, newest first, including archived ones. If the credential can use only one application, only this application is returned.',
  query: pageQuery,
  output: listOf(ApplicationView),
  run: ({ query }, context) =>
    answerOf(
      context.store.applications.list(context.organization.id, context.actor.applicationId, pageOf(query)),
      (application) => applicationView(application, context),
    ),
})
