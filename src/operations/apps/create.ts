import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import { operation } from '#operations/operation.ts'
import { ownApplication } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { ApplicationSlug, text } from '#operations/schemas.ts'
import { newCode } from '#operations/secrets.ts'
import { ApplicationView, applicationView } from './application-view.ts'

/** `GET /v1/apps/current` is the active application, so no application has this slug. */
const reserved = new Set(['current'])

export default operation({
  id: 'apps.create',
  method: 'PUT',
  path: '/v1/apps/{slug}',
  scope: 'organization',
  leastRole: 'admin',
  summary: 'Create an application',
  description:
    'Makes the application of that slug, or gives an existing one a new name. A slug is unique over all organizations, never changes and is never used again. The application has no bundle yet: the first one made becomes its default.',
  parameters: { slug: ApplicationSlug },
  body: z.strictObject({
    name: text(128).meta({ description: 'Name for people.', examples: ['Acme Assistant'] }),
  }),
  output: ApplicationView,
  errors: ['already_exists', 'application_archived'],
  async run({ body, path }, context) {
    const { afterCommit, nowMs, organization, ports, store } = context
    const existing = await store.applications.bySlug(path.slug)
    if (reserved.has(path.slug) || (existing && existing.organizationId !== organization.id)) {
      return refused('already_exists', { resource: 'application', id: path.slug }, 'slug')
    }
    if (existing) {
      if (existing.archivedAtMs !== null) return refused('application_archived', { slug: path.slug }, 'slug')
      await store.applications.rename(existing.id, body.name)
      return applicationView({ ...existing, name: body.name }, context)
    }
    const { gateway, portal } = await ports.allocatePorts()
    const application = {
      id: idOf('app', ports.newId()),
      organizationId: organization.id,
      slug: path.slug,
      code: await newCode((code) => store.applications.isCodeTaken(code), ports),
      name: body.name,
      configVersion: 1,
      defaultBundleId: null,
      gatewayPort: gateway,
      portalPort: portal,
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
