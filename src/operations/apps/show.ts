import { operationOn } from '#operations/kernel/operation.ts'
import { ownApplication } from '#operations/kernel/owned-resources.ts'
import { ApplicationView, applicationView } from './application-view.ts'

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
