import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownApplication } from '#operations/kernel/find-resources-of-caller.ts'
import { ApplicationView, applicationView } from '#operations/apps/shared/application-view.ts'

export default operationOn(ownApplication, {
  id: 'apps.show',
  method: 'GET',
  path: '/v1/apps/{slug}',
  isForOneApplication: true,
  summary: 'Show an application',
  description: 'Returns one application of the organization. Archived applications are returned too.',
  output: ApplicationView,
  run: applicationView,
})
