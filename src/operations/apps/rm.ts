import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownApplication } from '#operations/kernel/find-resources-of-caller.ts'
import { ApplicationView, applicationView } from '#operations/apps/shared/application-view.ts'

export default operationOn(ownApplication, {
  id: 'apps.rm',
  method: 'DELETE',
  path: '/v1/apps/{slug}',
  leastRole: 'admin',
  summary: 'Archive an application',
  description:
    'Archives the application, starting with the next request. If the application is already archived, the operation returns the application unchanged.\n\n- The gateway and the portal return 410 `application_archived` at all their addresses. Requests in flight finish and are charged.\n- The application can still be read with `x-svc-app`, including its usage and ledger. An archived application cannot be changed or made active.\n- If the active application of a token is archived and only one other application remains, the token uses the remaining application.\n- The slug and the hosts of an archived application are never reused.',
  output: ApplicationView,
  async run(application, context) {
    const isArchived = application.archivedAtMs !== null
    context.editAudit((entry) => (isArchived ? null : { ...entry, applicationId: application.id }))
    if (isArchived) return applicationView(application, context)
    const { nowMs, store } = context
    await store.applications.archive(application.id, nowMs)
    return applicationView({ ...application, archivedAtMs: nowMs }, context)
  },
})
