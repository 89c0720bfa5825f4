/**
 * Runs an operation whose input is valid:
 *
 * prepare -> open its transaction -> choose the application -> Idempotency-Key -> If-Match -> run -> encode -> ETag ->
 * audit
 */
import type { Application } from '#domain/application-record.ts'
import type { Mode } from '#domain/application-config.ts'
import type { AuditEntry } from '#domain/audit-log.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import { Failure } from '#domain/errors.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import type { IdempotencyScope } from '#domain/stored-idempotent-responses.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'
import type { AnyContext, Browser, Client } from '#operations/kernel/operation-context.ts'
import { isAnswerStream } from '#operations/kernel/response-stream.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { auditEntry } from './audit-log-entry.ts'
import { sessionCookieName, type Caller, type PortalCaller } from './authenticate-caller.ts'
import { portalBrowser } from './authenticate-end-user.ts'
import type { StreamDeps } from './choose-response-body-and-headers.ts'
import { memberBrowser } from './cookies-of-console-browser.ts'
import { takesIdempotencyKey } from './errors-of-operation.ts'
import { checkPreconditions, preconditionsOf, revisionEtag } from './etags-and-preconditions.ts'
import { applicationOf, modeOf } from './find-application-of-request.ts'
import { answerOnce, idempotencyKeyOf, type Answer, type Running } from './idempotent-repeats.ts'
import type { DeviceCookies } from './known-device-cookie.ts'
import type { Received } from './receive-operation-input.ts'
import { cookieOf } from './session-cookie-and-csrf.ts'

export interface ExecutionDeps extends StreamDeps {
  readonly ports: Ports
  readonly devices: DeviceCookies
}

export interface Arrived {
  readonly request: Request
  readonly requestId: string
  readonly client: Client
  readonly caller: Caller | null
  readonly portalOf: string | null
  /** Reads and writes that count toward the caller's share of the store. */
  readonly store: Pick<Store, 'read' | 'transaction'>
}

export async function execute(
  received: Received,
  arrived: Arrived,
  deps: ExecutionDeps,
  running: Running,
): Promise<Answer> {
  const execution = new Execution(received, arrived, deps)
  return received.operation.method === 'GET' ? execution.read() : execution.change(running)
}

class Execution {
  readonly #received: Received
  readonly #arrived: Arrived
  readonly #deps: ExecutionDeps
  readonly #preconditions: ReturnType<typeof preconditionsOf>
  /** The caller if it is an end user. */
  readonly #visit: PortalCaller | null
  readonly #mode: Mode
  readonly #idempotencyKey: string | null
  readonly #nowMs: number
  readonly #browser: Browser

  // The operation sets these values through its context.
  readonly #headers: [string, string][] = []
  readonly #afterCommit: (() => Promise<void>)[] = []
  readonly #afterRollback: (() => Promise<void>)[] = []
  #acting: Pick<Caller, 'organization' | 'actor'> | null
  #edit: (made: AuditEntry) => AuditEntry | null = (made) => made
  #endUsersOf: string | null = null

  /** @throws Failure if a header is invalid */
  constructor(received: Received, arrived: Arrived, deps: ExecutionDeps) {
    const { caller, portalOf, request } = arrived
    const { operation } = received
    const { headers } = request
    this.#received = received
    this.#arrived = arrived
    this.#deps = deps
    this.#preconditions = preconditionsOf(headers, operation)
    this.#visit = caller?.kind === 'portal' ? caller : null
    // A portal session has a fixed mode, so the mode in the header is ignored.
    this.#mode = this.#visit ? this.#visit.session.mode : modeOf(headers)
    this.#idempotencyKey = takesIdempotencyKey(operation) ? idempotencyKeyOf(headers) : null
    this.#nowMs = deps.nowMs()
    const secret = caller?.actor.kind === 'member' ? cookieOf(headers, sessionCookieName) : null
    this.#browser =
      portalOf === null
        ? memberBrowser(headers, secret, this.#headers, deps)
        : portalBrowser(headers, this.#headers)
    this.#acting = caller
  }

  async read(): Promise<Answer> {
    const { read } = this.#arrived.store
    return this.#run(read, await this.#choose(read), undefined)
  }

  async change(running: Running): Promise<Answer> {
    const { read } = this.#arrived.store
    const scope = this.#idempotencyKey === null ? null : this.#scopeOf(await this.#choose(read))
    return running.alone(scope, () => this.#changeOnce())
  }

  async #changeOnce(): Promise<Answer> {
    const { decoded, hash, operation } = this.#received
    const answer = await answerOnce(this.#arrived.store, {
      operation,
      hash,
      nowMs: this.#nowMs,
      choose: (store) => this.#choose(store),
      scopeOf: (application) => this.#scopeOf(application),
      prepare: decoded.prepare && ((application) => this.#prepare(application)),
      run: (store, application, prepared) => this.#run(store, application, prepared),
    }).catch(async (cause: unknown) => {
      for (const work of this.#afterRollback) await orReport(work(), operation.id, this.#deps)
      throw cause
    })
    if (mayEndCredentials(operation)) this.#deps.streams.open.noteCredentialChange()
    // An error after the commit does not change the response.
    for (const work of this.#afterCommit) await orReport(work(), operation.id, this.#deps)
    return answer
  }

  #choose(store: Nouns): Promise<Application | null> {
    const { caller, request } = this.#arrived
    return applicationOf(this.#received.operation, caller, request.headers, store)
  }

  /** Returns null if a repeated request cannot be recognized. */
  #scopeOf(application: Application | null): IdempotencyScope | null {
    const { caller } = this.#arrived
    const { operation } = this.#received
    const key = this.#idempotencyKey
    if (key === null || caller === null) return null
    const isOwn = this.#visit !== null || operation.isForPeople
    return {
      organizationId: caller.organization.id,
      applicationId: application?.id ?? (caller.kind === 'team' ? caller.actor.applicationId : null),
      mode: this.#mode,
      operationId: operation.id,
      // Two end users, or two members, may send the same Idempotency-Key.
      key: isOwn ? `${caller.actor.id} ${key}` : key,
    }
  }

  async #prepare(application: Application | null): Promise<unknown> {
    const { decoded, operation } = this.#received
    const context = this.#contextOn(this.#arrived.store.read, application, this.#visit && this.#visit.endUser)
    // The preparation can have effects outside, such as mail. The transaction checks the preconditions again.
    if (operation.hasRevision) await checkPreconditions(decoded, this.#preconditions, context)
    const prepared = await decoded.prepare?.(context)
    if (prepared instanceof Refused) throw prepared.failure
    return prepared
  }

  async #run(store: Nouns, application: Application | null, prepared: unknown): Promise<Answer> {
    const { decoded, operation } = this.#received
    const { caller, request } = this.#arrived
    const visit = this.#visit
    // The session may have ended since the look-up.
    const endUser = visit && (operation.method === 'GET' ? visit.endUser : await present(visit, store))
    const context = this.#contextOn(store, application, endUser)
    if (operation.hasRevision) await checkPreconditions(decoded, this.#preconditions, context)
    const isWrite = operation.method !== 'GET' && !operation.changesNothing
    if (isWrite && caller) await assertStillThere(caller, store)
    const before = isWrite && operation.hasRevision ? await decoded.revision(context) : null
    const answer = await decoded.run(context, prepared)
    if (answer instanceof Refused) throw answer.failure
    const after = operation.hasRevision ? await decoded.revision(context) : null
    const headers = this.#headers
    if (after !== null) headers.push(['etag', revisionEtag(after)])
    const endUsersOf = this.#endUsersOf
    if (isAnswerStream(answer)) return { body: '', stream: answer, headers, audit: null, endUsersOf }
    const body = JSON.stringify(answer.json)
    const acting = this.#acting
    const made =
      isWrite && acting
        ? auditEntry({ operation, context, caller: acting, request, before, after, answer: body })
        : null
    return { body, stream: null, headers, audit: made && this.#edit(made), endUsersOf }
  }

  #contextOn(store: Nouns, application: Application | null, endUser: EndUser | null): AnyContext {
    const { caller, client, portalOf, request, requestId } = this.#arrived
    return {
      store,
      organization: caller?.organization ?? null,
      actor: caller?.actor ?? null,
      mode: this.#mode,
      nowMs: this.#nowMs,
      ports: this.#deps.ports,
      idempotencyKey: this.#idempotencyKey,
      requestId,
      client,
      portalOf,
      endUser,
      session: this.#visit?.session ?? null,
      lastEventId: request.headers.get('last-event-id'),
      browser: this.#browser,
      actAs: (found) => void (this.#acting = found),
      setHeader: (name, value) => void this.#headers.push([name, value]),
      afterCommit: (work) => void this.#afterCommit.push(work),
      afterRollback: (work) => void this.#afterRollback.push(work),
      editAudit: (edit) => void (this.#edit = edit),
      noteEndUsersOf: (applicationId) => void (this.#endUsersOf = applicationId),
      application,
    }
  }
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

/** The failure of this work must not change the response. */
export async function orReport(
  work: Promise<void>,
  operation: string,
  { onInternal }: ExecutionDeps,
): Promise<void> {
  try {
    await work
  } catch (error) {
    onInternal(error, { requestId: '', operation })
  }
}
