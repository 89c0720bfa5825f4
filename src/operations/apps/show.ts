import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'
import { applicationRevision, ApplicationView, applicationView } from './application-view.ts'
import { ownApplication } from './own-application.ts'

export default operation({
  id: 'apps.show',
  method: 'GET',
  path: '/v1/apps/{slug}',
  scope: 'organization',
  summary: 'Show an application',
  description: 'One application of the organization, archived ones included.',
  input: { path: { slug: text(64).meta({ description: 'Slug of the application.' }) } },
  output: ApplicationView,
  errors: ['not_found'],
  async run({ path }, context) {
    const application = await ownApplication(path.slug, context)
    return application instanceof Refused ? application : applicationView(application, context)
  },
  async revision({ path }, context) {
    const application = await ownApplication(path.slug, context)
    return applicationRevision(application instanceof Refused ? null : application)
  },
})
