/**
 * Handles an HTTP request to any operation, in these steps:
 *
 * find the operation -> authenticate -> rate and role -> read the body -> check the input -> prepare -> open its
 * transaction -> choose the application -> Idempotency-Key -> If-Match -> run -> encode -> ETag -> audit
 */
import type { IdempotencyScope } from '#domain/stored-idempotent-responses.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { AuditEntry } from '#domain/audit-log.ts'
import type { NoteRefusal } from '#domain/rejected-request-facts.ts'
import type { Application } from '#domain/application-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import type { BodyIntake } from '#gateway/overload/limit-memory-of-bodies.ts'
import { isAnswerStream } from '#operations/kernel/response-stream.ts'
import { denial } from '#operations/kernel/access-denial.ts'
import type { AnyContext, Client } from '#operations/kernel/operation-context.ts'
import type { DecodedCall, Operation } from '#operations/kernel/declare-operation.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { answerBody, streamHeaders, type StreamDeps } from './choose-response-body-and-headers.ts'
import { auditEntry } from './audit-log-entry.ts'
import { authenticate, sessionCookieName, type Caller, type PortalCaller } from './authenticate-caller.ts'
import { cookieOf, credentialIn, originOf } from './session-cookie-and-csrf.ts'
import { baseHeaders, errorAnswer } from './error-responses.ts'
import type { DeviceCookies } from './known-device-cookie.ts'
import { inputFailure, invalidRequest } from './error-for-invalid-input.ts'
import { ownerOf } from './owner-of-body-memory.ts'
import { bodyBytesMax, publicBodyBytesMax, readJsonBody } from './read-json-body.ts'
import { memberBrowser } from './cookies-of-console-browser.ts'
import { recordLastUse } from './record-last-credential-use.ts'
import { takesBody, takesIdempotencyKey } from './errors-of-operation.ts'
import type { CallGuard } from './apply-rate-limits-to-caller.ts'
import { authenticateEndUser, noteSessionUse, portalBrowser, portalCookie } from './authenticate-end-user.ts'
import type { RateLimits } from './control-plane-rate-limiter.ts'
import { readUploadedFile } from './read-uploaded-file.ts'
import { checkPreconditions, preconditionsOf, revisionEtag } from './etags-and-preconditions.ts'
import { answerOnce, idempotencyKeyOf, Running, type Answer, type Change } from './idempotent-repeats.ts'
import { refusalOf } from './record-of-rejected-request.ts'
import { applicationOf, modeOf } from './find-application-of-request.ts'
import { routeFailure } from './failure-of-unknown-route.ts'
import { routeTable, type Route } from './route-table.ts'

export interface OperationDeps extends StreamDeps {
  readonly ports: Ports
  readonly rateLimits: RateLimits | null
  readonly bodies: BodyIntake
  /** Called for every rejection with 401, 403 or 429. */
  readonly onRefused: NoteRefusal
  /** Called once for each address that looks like an untrusted proxy (warn-of-untrusted-proxies.ts). */
  readonly onUntrustedProxy: (address: string) => void
  readonly monotonicMs: () => number
  readonly devices: DeviceCookies
}

/**
 * @param portalOf the application whose portal host received the request; null for the control plane's host
 * @param disconnect closes the connection, even if a response has begun; absent if a test calls without a socket
 */
export type OperationHandler = (
  request: Request,
  client: Client,
  portalOf: string | null,
  disconnect?: () => void,
) => Promise<Response>

export function operationHandler(
  operations: readonly Operation[],
  deps: OperationDeps,
  guard: CallGuard,
): OperationHandler {
  const routes = routeTable(operations)
  const running = new Running()
  const gateway = (): string =>
    deps.ports.urls({ slug: '<application>', gatewayPort: null, portalPort: null }).gateway
  const callerOf = (
    { method, scope }: Operation,
    request: Request,
    client: Client,
    portalOf: string | null,
    found: (caller: Caller) => Caller,
  ): Promise<Caller> | null => {
    const from = { ...client, portalOf }
    if (scope === 'public') {
      // A page of another site could sign its visitors in as another user.
      if (method !== 'GET' && originOf(request.headers) === 'foreign') {
        throw new Failure('cross_site_request', { reason: 'Origin or Sec-Fetch-Site names another site' })
      }
      return guard.publicCall(from)
    }
    if (scope !== 'end_user') {
      const credential = credentialIn(request.headers, sessionCookieName)
      return guard.known(from, credential, async () =>
        found(await authenticate(request, { ...deps, gateway })),
      )
    }
    const at = { store: deps.store, nowMs: deps.nowMs() }
    const credential = credentialIn(request.headers, portalOf === null ? null : portalCookie)
    return guard.known(from, credential, async () => found(await authenticateEndUser(request, portalOf, at)))
  }
  return async function handle(request, client, portalOf, disconnect) {
    const requestId = idOf('req', deps.ports.newId())
    const path = new URL(request.url).pathname
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const route = routes.find(method, path)
    // Set as soon as the caller is known, because the record of a rejected request contains the caller.
    let seen: Caller | null = null
    try {
      if (route.kind !== 'found') throw routeFailure(route, request, path, portalOf === null ? gateway : null)
      const { operation } = route
      const caller = await callerOf(operation, request, client, portalOf, (found) => (seen = found))
      guard.guess({ ...client, portalOf }, operation, {
        caller,
        deviceOf: deps.devices.read(request.headers, deps.nowMs())?.memberId ?? null,
      })
      const denied = caller?.kind === 'team' ? denial(caller.actor, operation) : null
      if (denied) throw denied
      if (caller?.kind === 'portal' && caller.session.access === 'read' && !operation.isForReaders)
        throw new Failure('portal_read_only')
      const call = await receive(route, request, caller, deps.bodies)
      const store = storeOf(caller, deps.store, guard)
      const arrived = { request, requestId, client, caller, portalOf, store }
      const answer = await execute(call, arrived, deps, running)
      // If the use of the credential cannot be recorded, return the response anyway.
      if (caller) await orReport(noteCaller(caller, deps), 'note use', deps)
      const response = new Response(
        answerBody(answer, { request, requestId, operation, gateway, disconnect }, deps),
        {
          status: 200,
          headers: { ...baseHeaders(requestId), ...streamHeaders(answer) },
        },
      )
      for (const [name, value] of answer.headers) {
        if (name === 'set-cookie') response.headers.append(name, value)
        else response.headers.set(name, value)
      }
      return response
    } catch (error) {
      const operation = route.kind === 'found' ? route.operation.id : null
      return errorAnswer(error, requestId, (cause) => deps.onInternal(cause, { requestId, operation }), {
        onRefused: (failure) =>
          deps.onRefused(refusalOf(failure, { requestId, operation, client, portalOf, caller: seen })),
        // A portal belongs to its application, so its error messages do not name the host of the control plane.
        baseUrl: portalOf === null ? deps.ports.baseUrl() : null,
      })
    }
  }
}

interface Arrived {
  readonly request: Request
  readonly requestId: string
  readonly client: Client
  readonly caller: Caller | null
  readonly portalOf: string | null
  /** Reads and writes that count toward the caller's share of the store. */
  readonly store: Pick<Store, 'read' | 'transaction'>
}

interface Received {
  readonly operation: Operation
  readonly decoded: DecodedCall
  readonly hash: string
}

async function receive(
  { operation, parameters }: Extract<Route, { kind: 'found' }>,
  request: Request,
  caller: Caller | null,
  intake: BodyIntake,
): Promise<Received> {
  const terms = { intake, owner: ownerOf(caller) }
  const url = new URL(request.url)
  if (operation.upload !== null) {
    const file = await readUploadedFile(request, operation.upload, terms)
    const body = await operation.upload.read(file)
    const decoded = operation.decode({ path: parameters, query: queryOf(url), body })
    if (decoded.kind === 'fault') throw inputFailure(operation, decoded)
    const asked = [request.method, url.pathname, url.search, file.type, sha256(file.bytes)]
    return { operation, decoded, hash: sha256(JSON.stringify(asked)) }
  }
  const bytesMax = operation.scope === 'public' ? publicBodyBytesMax : bodyBytesMax
  const sentBody = takesBody(operation) ? await readJsonBody(request, { ...terms, bytesMax }) : undefined
  // An operation without fields accepts no body or `{}`.
  const body = operation.input.body === null && isEmptyObject(sentBody) ? undefined : sentBody
  if (operation.input.body === null && body !== undefined) {
    const names = typeof body === 'object' && body !== null ? Object.keys(body) : ['(body)']
    const param = names.slice(0, 8).join(', ').slice(0, 128)
    throw new Failure('unknown_field', { known: 'no fields' }, { param })
  }
  const decoded = operation.decode({ path: parameters, query: queryOf(url), body })
  if (decoded.kind === 'fault') throw inputFailure(operation, decoded)
  const asked = [
    request.method,
    url.pathname,
    url.search,
    sentBody,
    operation.changesToken && caller?.kind === 'team' ? caller.actor.credentialId : null,
  ]
  return { operation, decoded, hash: sha256(JSON.stringify(asked)) }
}

async function execute(
  { decoded, hash, operation }: Received,
  { caller, client, portalOf, request, requestId, store: own }: Arrived,
  deps: OperationDeps,
  running: Running,
): Promise<Answer> {
  const { headers } = request
  const organization = caller?.organization ?? null
  const preconditions = preconditionsOf(headers, operation)
  const visit = caller?.kind === 'portal' ? caller : null
  // A portal session has a fixed mode, so the mode in the header is ignored.
  const mode = visit ? visit.session.mode : modeOf(headers)
  const idempotencyKey = takesIdempotencyKey(operation) ? idempotencyKeyOf(headers) : null
  const nowMs = deps.nowMs()
  const afterCommit: (() => Promise<void>)[] = []
  const afterRollback: (() => Promise<void>)[] = []

  const choose = (store: Nouns): Promise<Application | null> =>
    applicationOf(operation, caller, headers, store)
  const secret = caller?.actor.kind === 'member' ? cookieOf(headers, sessionCookieName) : null
  const answerHeaders: [string, string][] = []
  const browser =
    portalOf === null
      ? memberBrowser(headers, secret, answerHeaders, deps)
      : portalBrowser(headers, answerHeaders)
  let acting: Pick<Caller, 'organization' | 'actor'> | null = caller
  let edit = (made: AuditEntry): AuditEntry | null => made
  let endUsersOf: string | null = null
  const contextOn = (
    store: Nouns,
    application: Application | null,
    endUser: EndUser | null = visit && visit.endUser,
  ): AnyContext => ({
    store,
    organization,
    actor: caller?.actor ?? null,
    mode,
    nowMs,
    ports: deps.ports,
    idempotencyKey,
    requestId,
    client,
    portalOf,
    endUser,
    session: visit?.session ?? null,
    lastEventId: headers.get('last-event-id'),
    browser,
    actAs(found) {
      acting = found
    },
    setHeader: (name, value) => void answerHeaders.push([name, value]),
    afterCommit: (work) => afterCommit.push(work),
    afterRollback: (work) => afterRollback.push(work),
    editAudit: (one) => (edit = one),
    noteEndUsersOf: (applicationId) => (endUsersOf = applicationId),
    application,
  })
  const run = async (store: Nouns, application: Application | null, prepared: unknown): Promise<Answer> => {
    // The session may have ended since the look-up.
    const endUser = visit && (operation.method === 'GET' ? visit.endUser : await present(visit, store))
    const context = contextOn(store, application, endUser)
    if (operation.hasRevision) await checkPreconditions(decoded, preconditions, context)
    const isWrite = operation.method !== 'GET' && !operation.changesNothing
    if (isWrite && caller) await assertStillThere(caller, store)
    const before = isWrite && operation.hasRevision ? await decoded.revision(context) : null
    const answer = await decoded.run(context, prepared)
    if (answer instanceof Refused) throw answer.failure
    const after = operation.hasRevision ? await decoded.revision(context) : null
    if (after !== null) answerHeaders.push(['etag', revisionEtag(after)])
    if (isAnswerStream(answer))
      return { body: '', stream: answer, headers: answerHeaders, audit: null, endUsersOf }
    const body = JSON.stringify(answer.json)
    const made =
      isWrite && acting
        ? auditEntry({ operation, context, caller: acting, request, before, after, answer: body })
        : null
    return { body, stream: null, headers: answerHeaders, audit: made && edit(made), endUsersOf }
  }

  const { read } = own
  if (operation.method === 'GET') return run(read, await choose(read), undefined)

  const isOwn = visit !== null || operation.isForPeople
  const scopeOf = (application: Application | null): IdempotencyScope | null =>
    idempotencyKey === null || organization === null
      ? null
      : {
          organizationId: organization.id,
          applicationId: application?.id ?? (caller?.kind === 'team' ? caller.actor.applicationId : null),
          mode,
          operationId: operation.id,
          // Two end users, or two members, may send the same Idempotency-Key.
          key: isOwn ? `${caller?.actor.id} ${idempotencyKey}` : idempotencyKey,
        }
  const prepare =
    decoded.prepare &&
    (async (application: Application | null): Promise<unknown> => {
      const context = contextOn(read, application)
      // The preparation can have effects outside, such as mail. The transaction checks the preconditions again.
      if (operation.hasRevision) await checkPreconditions(decoded, preconditions, context)
      const prepared = await decoded.prepare?.(context)
      if (prepared instanceof Refused) throw prepared.failure
      return prepared
    })
  const change: Change = { operation, hash, nowMs, choose, scopeOf, prepare, run }
  return running.alone(idempotencyKey === null ? null : scopeOf(await choose(read)), async () => {
    const answer = await answerOnce(own, change).catch(async (cause: unknown) => {
      for (const work of afterRollback) await orReport(work(), operation.id, deps)
      throw cause
    })
    if (mayEndCredentials(operation)) deps.streams.open.noteCredentialChange()
    // An error after the commit does not change the response.
    for (const work of afterCommit) await orReport(work(), operation.id, deps)
    return answer
  })
}

/** Public operations only look up single rows, so their reads count toward no caller's share. */
function storeOf(caller: Caller | null, store: Store, guard: CallGuard): Arrived['store'] {
  if (caller === null) return store
  const reader = guard.readerOf(caller)
  return { read: store.readFor(reader), transaction: (work) => store.transaction(work, reader) }
}

function mayEndCredentials({ id }: Operation): boolean {
  return /^(?:team|tokens|sessions|invitations)\./.test(id)
}

/**
 * Rejects a change if the caller's session ended, or the token was revoked, during the request. The caller is
 * authenticated before the body arrives, and a client can send a body slowly.
 */
async function assertStillThere({ actor, kind, organization }: Caller, store: Nouns): Promise<void> {
  if (kind !== 'team') return
  if (actor.kind === 'token') {
    const token = await store.tokens.byId(organization.id, actor.id)
    if (token === null || token.revokedAtMs !== null) throw new Failure('invalid_token')
    return
  }
  const session = await store.memberSessions.byId(actor.member.organizationId, actor.session.id)
  if (!session) throw new Failure('session_ended')
}

/** @throws Failure portal_session_required if the end user was deleted or has signed out */
async function present(
  { application, endUser, session }: PortalCaller,
  { endUsers, portals }: Nouns,
): Promise<EndUser> {
  const now = await endUsers.byId(application.id, endUser.id)
  if (!now || !(await portals.isSessionThere(session.id))) throw new Failure('portal_session_required')
  return now
}

function noteCaller(caller: Caller, { nowMs, store }: OperationDeps): Promise<void> {
  return caller.kind === 'portal'
    ? noteSessionUse(caller.session, store, nowMs())
    : recordLastUse(caller.actor, store, nowMs())
}

/** The failure of this work must not change the response. */
async function orReport(
  work: Promise<void>,
  operation: string,
  { onInternal }: OperationDeps,
): Promise<void> {
  try {
    await work
  } catch (error) {
    onInternal(error, { requestId: '', operation })
  }
}

/** Rejects repeated parameters, because the server could not choose between two values. */
export function queryOf(url: URL): Record<string, string> {
  const pairs = [...url.searchParams]
  const names = new Set<string>()
  for (const [name] of pairs) {
    if (names.has(name)) {
      const shown = name.slice(0, 64)
      throw invalidRequest(`${shown} is given twice.`, shown)
    }
    names.add(name)
  }
  return Object.fromEntries(pairs)
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  )
}
