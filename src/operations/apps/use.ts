import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownApplication } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { ApplicationView, applicationView } from '#operations/apps/shared/application-view.ts'

// This operation changes the token and not the application.
export default operationOn(
  { ...ownApplication, revision: null },
  {
    id: 'apps.use',
    method: 'POST',
    path: '/v1/apps/{slug}/use',
    isForOneApplication: true,
    summary: 'Make an application active',
    description:
      'Sets the active application of this token or session. Requests of this token or session without `x-svc-app` use the active application. Other tokens and sessions are not affected.',
    output: ApplicationView,
    errors: ['application_archived'],
    changesToken: true,
    changes: ['apps', 'auth', 'sessions'],
    async run(application, context) {
      const { id, slug, archivedAtMs } = application
      if (archivedAtMs !== null) return refused('application_archived', { slug }, 'slug')
      const { actor, store } = context
      const credentials = actor.kind === 'token' ? store.tokens : store.memberSessions
      await credentials.setActiveApplication(actor.credentialId, id)
      return applicationView(application, context)
    },
  },
)
