import { operationOn } from '#operations/operation.ts'
import { ownApplication } from '#operations/own.ts'
import { ApplicationView, applicationView } from './application-view.ts'

export default operationOn(ownApplication, {
  id: 'apps.rm',
  method: 'DELETE',
  path: '/v1/apps/{slug}',
  leastRole: 'admin',
  summary: 'Archive an application',
  description:
    'From the next call on its gateway and portal answer 410 `application_archived`, under their hosts and local ports alike; calls in flight end and are charged. It can be read as before with `x-svc-app`, usage and ledger included, and no longer changed or made active; tokens whose active application it was fall back to the only one there is. Its slug and its hosts are never given to another one. Archiving it again answers it as it is.',
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
