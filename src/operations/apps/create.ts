import { idOf } from '#domain/ids-sorted-by-time.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { ownApplication } from '#operations/kernel/find-resources-of-caller.ts'
import { lasting, putBody, putValues } from '#operations/kernel/put-fields.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { ApplicationSlug, text } from '#operations/kernel/value-and-page-schemas.ts'
import { newCode } from '#operations/kernel/create-keys-and-tokens.ts'
import { ApplicationView, applicationView } from '#operations/apps/shared/application-view.ts'

const applicationPut = {
  name: lasting(text(128).meta({ description: 'Display name.', examples: ['Acme Assistant'] })),
}

/** `GET /v1/apps/current` returns the active application. */
const reserved = new Set(['current'])

export default operation({
  id: 'apps.create',
  method: 'PUT',
  path: '/v1/apps/{slug}',
  scope: 'organization',
  leastRole: 'admin',
  summary: 'Create an application',
  description:
    'Creates the application with this slug, or renames the existing one if `name` is given. With `If-None-Match: *`, the request fails if the application exists. A slug is unique across all organizations, never changes and is never reused. The first bundle of an application becomes its default bundle.',
  parameters: { slug: ApplicationSlug },
  body: putBody(applicationPut),
  output: ApplicationView,
  errors: ['already_exists', 'application_archived'],
  async run({ body, path }, context) {
    const { afterCommit, afterRollback, nowMs, organization, ports, store } = context
    const existing = await store.applications.bySlug(path.slug)
    if (reserved.has(path.slug) || (existing && existing.organizationId !== organization.id)) {
      return refused('already_exists', { resource: 'application', id: path.slug }, 'slug')
    }
    if (existing && existing.archivedAtMs !== null)
      return refused('application_archived', { slug: path.slug }, 'slug')
    const fields = putValues(applicationPut, body, existing)
    if (fields instanceof Refused) return fields
    if (existing) {
      await store.applications.rename(existing.id, fields.name)
      return applicationView({ ...existing, ...fields }, context)
    }
    const allocated = await ports.allocatePorts()
    afterRollback(() => ports.releasePorts(allocated))
    const application = {
      id: idOf('app', ports.newId()),
      organizationId: organization.id,
      slug: path.slug,
      code: await newCode((code) => store.applications.isCodeTaken(code), ports),
      ...fields,
      configVersion: 1,
      defaultBundleId: null,
      gatewayPort: allocated.gateway,
      portalPort: allocated.portal,
      testClockOffsetMs: 0,
      createdAtMs: nowMs,
      archivedAtMs: null,
    }
    await store.applications.insert(application)
    afterCommit(() => ports.applicationsChanged())
    return applicationView(application, context)
  },
  revision: ({ path }, context) => ownApplication.revision(path.slug, context),
})
