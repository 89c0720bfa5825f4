/**
 * If a resource belongs to another organization, the response is the same as for a missing resource.
 *
 * `state` returns the values of which the ETag is a hash, for a resource that If-Match can protect. The audit log shows
 * these values, so the fields have the names and formats of the API (`isoOf`). Some nouns compute the state in their
 * own folder with `withState`, as in bundles/shared/bundle-with-etag.ts.
 */
import { hasExpired, type KeyListed } from '#domain/end-user-keys.ts'
import type { Actor } from '#domain/people/caller-types.ts'
import { isRoleAtLeast } from '#domain/people/team-roles.ts'
import type { ErrorCode } from '#domain/errors.ts'
import { sessionExpiresAtMs } from '#domain/people/member-sessions.ts'
import type { Application } from '#domain/application-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Nouns } from '#domain/store-interface.ts'
import type { ContextOf, Scope } from './operation-context.ts'
import { modeTime } from './current-time-of-mode.ts'
import type { Resource } from './declare-operation.ts'
import { Refused, refused } from './returned-error.ts'
import { ExternalId, isoOf, MemberEmail, text } from './value-and-page-schemas.ts'

export const ownApplication = owned({
  noun: 'application',
  scope: 'organization',
  parameter: 'slug',
  schema: text(64).meta({ description: 'Slug of the application.' }),
  async look(slug, { actor, organization, store }) {
    const application = await store.applications.bySlug(slug)
    return application?.organizationId === organization.id && mayUse(actor, application) ? application : null
  },
  // Omit counts and costs, because requests change them.
  state: ({ archivedAtMs, name, slug }) => ({ slug, name, archivedAt: isoOf(archivedAtMs) }),
})

export const ownEmitter = owned({
  noun: 'emitter',
  scope: 'application',
  parameter: 'id',
  schema: text(64).meta({ description: 'ID of the emitter, `emt_…`.' }),
  look: (id, { application, store }) => store.emitters.byId(application.id, id),
})

/** Finds an account by ID or label. Labels never start with `pa_`. */
export const ownProvider = owned({
  noun: 'provider account',
  scope: 'organization',
  parameter: 'id',
  schema: text(64).meta({ description: 'ID of the provider account, `pa_…`, or its label.' }),
  look: async (id, { organization, store }) =>
    (await store.providers.byId(organization.id, id)) ?? store.providers.byLabel(organization.id, id),
})

/** A token of one application finds only itself. */
export const ownToken = owned({
  noun: 'token',
  scope: 'organization',
  parameter: 'id',
  schema: text(64).meta({ description: 'ID of the token, `apk_…`.' }),
  async look(id, { actor, organization, store }) {
    const token = await store.tokens.byId(organization.id, id)
    return actor.applicationId === null || token?.id === actor.id ? token : null
  },
})

export const ownMember = owned({
  noun: 'member',
  scope: 'organization',
  parameter: 'email',
  schema: MemberEmail.meta({ description: 'Email address of the member. Case is ignored.' }),
  look: (email, { organization, store }) => store.members.byEmail(organization.id, email),
  state: ({ email, joinedAtMs, name, role }) => ({ email, name, role, joinedAt: isoOf(joinedAtMs) }),
})

/** An admin can also name the session of any other member. */
export const ownSession = owned({
  noun: 'session',
  scope: 'organization',
  parameter: 'id',
  schema: text(64).meta({ description: 'ID of the session, `ses_…`.' }),
  async look(id, { actor, nowMs, organization, store }) {
    const session = await store.memberSessions.byId(organization.id, id)
    if (!session || sessionExpiresAtMs(session) <= nowMs) return null
    return session.memberId === actor.id || isRoleAtLeast(actor.role, 'admin') ? session : null
  },
})

/** An owner can also name the passkey of any other member. */
export const ownPasskey = owned({
  noun: 'passkey',
  scope: 'organization',
  parameter: 'id',
  schema: text(64).meta({ description: 'ID of the passkey, `psk_…`.' }),
  async look(id, { actor, organization, store }) {
    const passkey = await store.passkeys.byId(organization.id, id)
    return passkey?.memberId === actor.id || isRoleAtLeast(actor.role, 'owner') ? passkey : null
  },
  state: ({ id, name }) => ({ id, name }),
})

export const ownModel = owned({
  noun: 'model',
  scope: 'application',
  parameter: 'name',
  schema: text(128).meta({ description: 'Model name. `/` may be percent-encoded as `%2F`.' }),
  look: (name, { application, store }) => store.aliases.byName(application.id, name),
})

export const ownRouter = owned({
  noun: 'router',
  scope: 'application',
  parameter: 'name',
  schema: text(128).meta({ description: "The router's name. `/` may be percent-encoded as `%2F`." }),
  look: (name, { application, store }) => store.routers.byName(application.id, name),
})

export const ownBundle = owned({
  noun: 'bundle',
  scope: 'application',
  parameter: 'slug',
  schema: text(64).meta({ description: 'Slug of the bundle.' }),
  look: (slug, { application, store }) => store.bundles.bySlug(application.id, slug),
})

export const ownEndUser = owned({
  noun: 'end user',
  scope: 'application',
  parameter: 'externalId',
  schema: ExternalId.meta({ description: 'External ID of the end user, or their ID, `eu_…`.' }),
  look: (id, { application, store }) => presentPerson(store, application.id, id),
})

/**
 * No end user has an external ID that equals the ID of another end user (users/shared/create-or-change-end-user.ts).
 */
async function presentPerson(store: Nouns, applicationId: string, id: string): Promise<EndUser | null> {
  const named = await store.endUsers.byExternalId(applicationId, id)
  if (named !== null || !id.startsWith('eu_')) return named
  const person = await store.endUsers.evenRemoved(applicationId, id)
  return person?.removedAtMs === null ? person : null
}

/** A deleted end user is found only by Tollgate's own ID, under which usage and payments remain on record. */
export const ownEndUserOrRemoved = owned({
  noun: 'end user',
  scope: 'application',
  parameter: 'externalId',
  schema: ExternalId.meta({
    description: 'External ID of the end user, or their ID, `eu_…`. A deleted end user is found by ID only.',
  }),
  async look(externalId, { application, store }) {
    const present = await store.endUsers.byExternalId(application.id, externalId)
    return present ?? store.endUsers.evenRemoved(application.id, externalId)
  },
})

export const ownOutcome = owned({
  noun: 'outcome',
  scope: 'application',
  parameter: 'slug',
  schema: text(64).meta({ description: 'Slug of the outcome.' }),
  look: (slug, { application, store }) => store.outcomes.bySlug(application.id, slug),
})

export const ownTeam = owned({
  noun: 'team',
  scope: 'application',
  parameter: 'slug',
  schema: text(64).meta({ description: 'Slug of the team.' }),
  look: (slug, { application, store }) => store.teams.bySlug(application.id, slug),
})

export const ownGrant = owned({
  noun: 'grant',
  scope: 'application',
  parameter: 'id',
  schema: text(64).meta({ description: 'ID of the grant, `gr_…`.' }),
  look: (id, { application, store }) => store.grants.byId(application.id, id),
})

export const ownInvoice = owned({
  noun: 'invoice',
  scope: 'application',
  parameter: 'id',
  schema: text(64).meta({ description: 'ID of the invoice, `inv_…`.' }),
  look: (id, { application, mode, store }) => store.invoices.byId(application.id, mode, id),
})

/**
 * An ID or a prefix finds a key of either mode, revoked or not. The external ID of an end user finds the end user's
 * only valid key in the request's mode, or else the only expired key.
 */
export const ownKey: Resource<'application', 'id', KeyListed, 'not_found' | 'ambiguous_key'> = {
  scope: 'application',
  parameter: 'id',
  schema: text(256).meta({
    description: 'ID or prefix of the key, or the ID or external ID of an end user who has exactly one key.',
  }),
  errors: ['not_found', 'ambiguous_key'],
  async find(selector, context) {
    const { application, mode, store } = context
    const byId = await store.keys.byId(application.id, selector)
    if (byId) return byId
    const [byPrefix, ...others] = await store.keys.byPrefix(application.id, selector)
    if (byPrefix && others.length === 0) return byPrefix
    if (byPrefix) return refused('ambiguous_key', { id: byPrefix.externalId, count: 1 + others.length }, 'id')
    const endUser = await presentPerson(store, application.id, selector)
    const all = endUser ? await store.keys.held(endUser.id, mode) : []
    const nowMs = modeTime(context)
    const valid = all.filter((key) => !hasExpired(key, nowMs))
    const held = valid.length > 0 ? valid : all
    const [only] = held
    if (!only) return refused('not_found', { resource: 'key', id: selector }, 'id')
    return held.length === 1 ? only : refused('ambiguous_key', { id: selector, count: held.length }, 'id')
  },
  revision: null,
}

/** Only keys in the session's mode are found. */
export const ownPersonKey = owned({
  noun: 'key',
  scope: 'end_user',
  parameter: 'id',
  schema: text(64).meta({ description: 'ID of the key, `key_…`.' }),
  async look(id, { application, endUser, mode, store }) {
    const key = await store.keys.byId(application.id, id)
    return key?.endUserId === endUser.id && key.mode === mode ? key : null
  },
})

export async function findIfNamed<S extends Scope, Found, Code extends ErrorCode>(
  resource: Resource<S, string, Found, Code>,
  id: string | undefined,
  context: ContextOf<S>,
  param: string,
): Promise<Found | Refused<Code> | null> {
  return id === undefined ? null : resource.find(id, context, param)
}

/** A credential that is limited to one application cannot access another application. */
export function mayUse({ applicationId }: Actor, application: Pick<Application, 'id'>): boolean {
  return applicationId === null || applicationId === application.id
}

type Revision<S extends Scope> = (id: string, context: ContextOf<S>) => Promise<object | null>

interface Looked<S extends Scope, Name extends string, Found> {
  readonly scope: S
  readonly parameter: Name
  readonly schema: Resource<S, Name, Found, never>['schema']
  readonly noun: string
  readonly look: (id: string, context: ContextOf<S>) => Promise<Found | null>
}

interface Stateful<S extends Scope, Found> {
  readonly state: (found: Found, context: ContextOf<S>) => object | Promise<object>
}

function owned<S extends Scope, Name extends string, Found>(
  looked: Looked<S, Name, Found> & Stateful<S, Found>,
): Resource<S, Name, Found, 'not_found'> & { readonly revision: Revision<S> }
function owned<S extends Scope, Name extends string, Found>(
  looked: Looked<S, Name, Found>,
): Resource<S, Name, Found, 'not_found'>
function owned<S extends Scope, Name extends string, Found>({
  look,
  noun,
  parameter,
  scope,
  schema,
  state,
}: Looked<S, Name, Found> & Partial<Stateful<S, Found>>): Resource<S, Name, Found, 'not_found'> {
  const resource: Resource<S, Name, Found, 'not_found'> = {
    scope,
    parameter,
    schema,
    errors: ['not_found'],
    find: async (id, context, param = parameter) =>
      (await look(id, context)) ?? refused('not_found', { resource: noun, id }, param),
    revision: null,
  }
  return state === undefined ? resource : withState(resource, state)
}

export function withState<S extends Scope, Name extends string, Found, Code extends ErrorCode>(
  resource: Resource<S, Name, Found, Code>,
  state: Stateful<S, Found>['state'],
): Resource<S, Name, Found, Code> & { readonly revision: Revision<S> } {
  return {
    ...resource,
    async revision(id, context) {
      const found = await resource.find(id, context)
      return found instanceof Refused ? null : state(found, context)
    },
  }
}
