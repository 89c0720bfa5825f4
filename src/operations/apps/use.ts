import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'
import { ApplicationView, applicationView } from './application-view.ts'
import { ownApplication } from './own-application.ts'

export default operation({
  id: 'apps.use',
  method: 'POST',
  path: '/v1/apps/{slug}/use',
  scope: 'organization',
  summary: 'Make an application active',
  description:
    'Requests of this token that name no application with `x-svc-app` mean this one from now on. Other tokens keep theirs.',
  input: { path: { slug: text(64).meta({ description: 'Slug of the application.' }) } },
  output: ApplicationView,
  errors: ['not_found', 'application_archived'],
  changesToken: true,
  async run({ path }, context) {
    const application = await ownApplication(path.slug, context)
    if (application instanceof Refused) return application
    if (application.archivedAtMs !== null) return refused('application_archived', { slug: path.slug }, 'slug')
    await context.store.tokens.setActiveApplication(context.token.id, application.id)
    return applicationView(application, context)
  },
})
