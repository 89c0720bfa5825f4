import type { Mode } from '#domain/application-config.ts'
import { Failure } from '#domain/errors.ts'
import type { Application } from '#domain/application-record.ts'
import type { Nouns } from '#domain/store-interface.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { mayUse } from '#operations/kernel/find-resources-of-caller.ts'
import type { Caller } from './authenticate-caller.ts'
import { invalidRequest } from './error-for-invalid-input.ts'

/**
 * Returns the application that the header names, else the token's active application, else the only application. An
 * application of another organization causes the same error as a missing one.
 */
export async function applicationOf(
  operation: Operation,
  caller: Caller | null,
  headers: Headers,
  store: Nouns,
): Promise<Application | null> {
  if (caller?.kind === 'portal') return caller.application
  // Operations on the organization ignore the application. A client can then send the same header with every request,
  // even with the request that creates the application.
  if (operation.scope !== 'application' || caller === null) return null
  const { actor, organization } = caller
  const slug = headers.get('x-svc-app')
  if (slug !== null) {
    const named = await store.applications.bySlug(slug)
    if (!named || named.organizationId !== organization.id || !mayUse(actor, named)) {
      const details = { resource: 'application', id: slug.slice(0, 64) }
      throw new Failure('not_found', details, { param: 'x-svc-app' })
    }
    return open(named, operation)
  }
  const preferredId = actor.applicationId ?? actor.activeApplicationId
  if (preferredId !== null) {
    const preferred = await store.applications.byId(organization.id, preferredId)
    if (preferred && (preferred.archivedAtMs === null || actor.applicationId !== null)) {
      return open(preferred, operation)
    }
  }
  const serving = await store.applications.serving(organization.id, namedMax + 1)
  const [only, ...others] = serving
  if (only && others.length === 0) return only
  const count =
    serving.length > namedMax ? await store.applications.countServing(organization.id) : serving.length
  throw applicationRequired(
    serving.map((one) => one.slug),
    count,
  )
}

const namedMax = 5

/** @param slugs the slugs of the oldest applications */
function applicationRequired(slugs: readonly string[], count: number): Failure {
  const named = `${slugs.slice(0, namedMax).join(', ')}${count > namedMax ? ', …' : ''}`
  const reason =
    count === 0
      ? 'The organization has no application. Create an application with PUT /v1/apps/<slug> (in a terminal: tollgate init, or tollgate apps create <slug> --name <name>).'
      : `The organization has ${count} applications: ${named}. Name an application in the header x-svc-app: <slug> (in a terminal: --app <slug>), or make an application active with POST /v1/apps/<slug>/use (tollgate use <slug>).`
  return new Failure('application_required', { reason, count, ...(count > 0 && { applications: named }) })
}

/** An archived application can be read but not changed. */
function open(application: Application, operation: Operation): Application {
  if (application.archivedAtMs !== null && operation.method !== 'GET') {
    throw new Failure('application_archived', { slug: application.slug })
  }
  return application
}

export function modeOf(headers: Headers): Mode {
  const mode = headers.get('x-svc-mode') ?? 'live'
  if (mode === 'live' || mode === 'test') return mode
  throw invalidRequest('x-svc-mode must be live or test.', 'x-svc-mode')
}
