/**
 * How an operation is called over HTTP, written once for all of them:
 *
 *   find the operation -> authenticate -> read the body -> check the input -> open its transaction
 *   -> choose the application -> Idempotency-Key -> If-Match -> run -> encode -> ETag
 *
 * An Idempotency-Key belongs to the organization, the application that was chosen (by header or by token),
 * the mode and the operation: the same text anywhere else is another key.
 * An answer to a repeated Idempotency-Key is stored in the same transaction as the change it tells
 * of, so there is no instant at which one exists without the other. Refusals are not stored: they
 * changed nothing, and the repeat may find a better world.
 */
import { Failure, type ErrorCode } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Application, IdempotencyAnswer, IdempotencyScope, Nouns, Store } from '#domain/store.ts'
import type { AnyContext, DecodedCall, Operation, Ports } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { authenticate, controlPlane, sha256, type Caller } from './authenticate.ts'
import { baseHeaders, errorAnswer, type AnswerHeaders } from './error-answer.ts'
import { inputFailure } from './input-failure.ts'
import { readJsonBody } from './json-body.ts'
import { isGatewayPath } from '#gateway/arrive/near-paths.ts'
import { routeTable, type Route } from './route-table.ts'

export interface OperationDeps {
  readonly store: Store
  readonly ports: Ports
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  /** An error that is no refusal: for the log. Never holds a body or a secret. */
  readonly onInternal: (
    error: unknown,
    about: { readonly requestId: string; readonly operation: string | null },
  ) => void
}

/** What any operation may answer besides its own errors. */
export const commonErrors = [
  'invalid_request',
  'unknown_field',
  'missing_credential',
  'invalid_token',
  'wrong_credential_kind',
  'conflicting_credentials',
  'internal',
  'store_unavailable',
] as const satisfies readonly ErrorCode[]

/** What an operation on one application may answer too. */
export const applicationErrors = ['application_required', 'not_found'] as const satisfies readonly ErrorCode[]

/** What an operation that takes a body may answer too. */
export const bodyErrors = [
  'invalid_json',
  'unsupported_media_type',
  'request_too_large',
] as const satisfies readonly ErrorCode[]

/** What an operation that changes something may answer too. */
export const writeErrors = [
  'idempotency_running',
  'idempotency_mismatch',
] as const satisfies readonly ErrorCode[]

/** Repeats with an Idempotency-Key are recognised for a day (Stripe keeps them as long). */
const idempotencyKeptMs = 86_400_000
/** `last_used_at` is a hint for people: as coarse as this, so that reading does not write. */
const touchEveryMs = 600_000

/** Answers one request to the operations of the table. */
export function operationHandler(
  operations: readonly Operation[],
  deps: OperationDeps,
): (request: Request) => Promise<Response> {
  const routes = routeTable(operations)
  const running = new Set<string>()
  const gateway = (): string =>
    deps.ports.urls({ slug: '<application>', gatewayPort: null, portalPort: null }).gateway
  return async function handle(request) {
    const requestId = idOf('req', deps.ports.newId())
    const path = new URL(request.url).pathname
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const route = routes.find(method, path)
    try {
      if (route.kind !== 'found') throw routeFailure(route, request, path, gateway)
      const caller = await authenticate(request.headers, deps.store, gateway)
      const call = await receive(route, request, caller)
      const answer = await execute(call, caller, request, deps, running)
      await touch(caller, deps)
      return new Response(answer.body, {
        status: 200,
        headers: { ...baseHeaders(requestId), ...answer.headers },
      })
    } catch (error) {
      const operation = route.kind === 'found' ? route.operation.id : null
      return errorAnswer(error, requestId, (cause) => deps.onInternal(cause, { requestId, operation }))
    }
  }
}

interface Received {
  readonly operation: Operation
  readonly decoded: DecodedCall
  /** SHA-256 of all that was asked, besides what the scope of an Idempotency-Key has. */
  readonly hash: string
}

interface Answer {
  readonly body: string
  readonly headers: AnswerHeaders
}

async function receive(
  route: Extract<Route, { kind: 'found' }>,
  request: Request,
  { token }: Caller,
): Promise<Received> {
  const { operation, parameters } = route
  const url = new URL(request.url)
  const isRead = operation.method === 'GET' || operation.method === 'DELETE'
  const sentBody = isRead ? undefined : await readJsonBody(request)
  // An operation without fields takes no body; `{}` says the same.
  const body = operation.input.body === null && isEmptyObject(sentBody) ? undefined : sentBody
  if (operation.input.body === null && body !== undefined) {
    const names = typeof body === 'object' && body !== null ? Object.keys(body) : ['(body)']
    throw new Failure(
      'unknown_field',
      { known: 'no fields' },
      { param: names.slice(0, 8).join(', ').slice(0, 128) },
    )
  }
  const decoded = operation.decode({ path: parameters, query: queryOf(url), body })
  if (decoded.kind === 'fault') throw inputFailure(operation, decoded)
  const asked = [request.method, url.pathname, url.search, sentBody, operation.changesToken ? token.id : null]
  return { operation, decoded, hash: sha256(JSON.stringify(asked)) }
}

async function execute(
  received: Received,
  caller: Caller,
  request: Request,
  deps: OperationDeps,
  running: Set<string>,
): Promise<Answer> {
  const { operation } = received
  const conditions = conditionsOf(request.headers, operation)
  const mode = modeOf(request.headers)
  const idempotencyKey =
    operation.method === 'GET' || operation.method === 'DELETE' ? null : keyOf(request.headers)
  const nowMs = deps.nowMs()
  const afterCommit: (() => Promise<void>)[] = []

  const choose = (store: Nouns): Promise<Application | null> =>
    applicationOf(operation, caller, request.headers, store)
  const run = async (store: Nouns, application: Application | null): Promise<Answer> => {
    const context: AnyContext = {
      store,
      organization: caller.organization,
      token: caller.token,
      mode,
      nowMs,
      ports: deps.ports,
      idempotencyKey,
      afterCommit: (work) => afterCommit.push(work),
      application,
    }
    if (operation.hasRevision) await checkConditions(received.decoded, conditions, context)
    const answer = await received.decoded.run(context)
    if (answer instanceof Refused) throw answer.failure
    const etag = operation.hasRevision ? await etagOf(received.decoded, context) : null
    return { body: JSON.stringify(answer.json), headers: etag === null ? {} : { etag } }
  }

  const { read } = deps.store
  if (operation.method === 'GET') return run(read, await choose(read))

  const scopeOf = (application: Application | null): IdempotencyScope | null =>
    idempotencyKey === null
      ? null
      : {
          organizationId: caller.organization.id,
          applicationId: application?.id ?? null,
          mode,
          operationId: operation.id,
          key: idempotencyKey,
        }
  const once = idempotencyKey === null ? null : JSON.stringify(scopeOf(await choose(read)))
  if (once !== null) {
    if (running.has(once)) throw runningFailure()
    running.add(once)
  }
  try {
    const answer = await remembered(received, { choose, scopeOf, run }, nowMs, deps.store)
    for (const work of afterCommit) await settled(work, operation, deps)
    return answer
  } finally {
    if (once !== null) running.delete(once)
  }
}

function runningFailure(): Failure {
  return new Failure('idempotency_running', { retryAfterSeconds: 1 })
}

/** What comes after a commit cannot undo it: when it fails the answer stands, and the operator is told. */
async function settled(
  work: () => Promise<void>,
  { id }: Operation,
  { onInternal }: OperationDeps,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    onInternal(error, { requestId: '', operation: id })
  }
}

/** The steps of a change, each on the rows that it is given. */
interface Change {
  readonly choose: (nouns: Nouns) => Promise<Application | null>
  readonly scopeOf: (application: Application | null) => IdempotencyScope | null
  readonly run: (nouns: Nouns, application: Application | null) => Promise<Answer>
}

/** Runs a change, or answers what it answered the first time. */
async function remembered(
  { operation, hash }: Received,
  { choose, run, scopeOf }: Change,
  nowMs: number,
  store: Store,
): Promise<Answer> {
  const expiredMs = nowMs - idempotencyKeptMs
  const replayed = async (nouns: Nouns, scope: IdempotencyScope | null): Promise<Answer | null> => {
    const kept = scope && (await nouns.idempotency.find(scope))
    if (kept === null || kept.createdAtMs <= expiredMs) return null
    return replayOf(kept, operation, hash)
  }
  const remember = async (nouns: Nouns, scope: IdempotencyScope | null, answer: Answer): Promise<void> => {
    if (scope === null) return
    const response = operation.answersSecret ? withoutSecret(answer.body) : answer.body
    const kept = { ...scope, requestHash: hash, status: 200, response, createdAtMs: nowMs }
    if (!(await nouns.idempotency.put(kept, expiredMs))) throw runningFailure()
  }
  if (!operation.runsOutside) {
    return store.transaction(async (nouns) => {
      const application = await choose(nouns)
      const scope = scopeOf(application)
      const earlier = await replayed(nouns, scope)
      if (earlier) return earlier
      const answer = await run(nouns, application)
      await remember(nouns, scope, answer)
      return answer
    })
  }
  // The ledger makes the change happen once by a key of its own, so a crash between the change and
  // this note costs nothing: the repeat gets the same answer from the ledger.
  const application = await choose(store.read)
  const scope = scopeOf(application)
  const earlier = await replayed(store.read, scope)
  if (earlier) return earlier
  const answer = await run(store.read, application)
  if (scope !== null) await store.transaction((nouns) => remember(nouns, scope, answer))
  return answer
}

function replayOf(kept: IdempotencyAnswer, operation: Operation, hash: string): Answer {
  if (kept.requestHash !== hash) throw new Failure('idempotency_mismatch')
  if (operation.answersSecret) {
    const { id }: { id?: unknown } = JSON.parse(kept.response)
    throw new Failure('secret_not_kept', { id: String(id) })
  }
  return { body: kept.response, headers: { 'idempotent-replayed': 'true' } }
}

/** Only the id of what was made: enough to revoke it. */
function withoutSecret(body: string): string {
  const { id }: { id?: unknown } = JSON.parse(body)
  return JSON.stringify({ id })
}

/**
 * Which application a request means: the header, else the token's active one, else the only one.
 * One of another organization is as unknown as one that does not exist.
 */
async function applicationOf(
  operation: Operation,
  { organization, token }: Caller,
  headers: Headers,
  store: Nouns,
): Promise<Application | null> {
  // What belongs to the organization needs no application: a client that names its own on every request
  // may do so on the one that makes it, too.
  if (operation.scope === 'organization') return null
  const slug = headers.get('x-svc-app')
  if (slug !== null) {
    const named = await store.applications.bySlug(slug)
    if (!named || named.organizationId !== organization.id) {
      throw new Failure(
        'not_found',
        { resource: 'application', id: slug.slice(0, 64) },
        { param: 'x-svc-app' },
      )
    }
    return open(named, operation)
  }
  if (token.activeApplicationId !== null) {
    const active = await store.applications.byId(organization.id, token.activeApplicationId)
    if (active && active.archivedAtMs === null) return active
  }
  const [only, ...others] = await store.applications.serving(organization.id, 2)
  if (!only || others.length > 0) throw new Failure('application_required')
  return only
}

/** An archived application can be read and no longer changed. */
function open(application: Application, operation: Operation): Application {
  if (application.archivedAtMs !== null && operation.method !== 'GET') {
    throw new Failure('application_archived', { slug: application.slug })
  }
  return application
}

interface Conditions {
  readonly ifMatch: string | null
  readonly ifNoneMatch: string | null
}

function conditionsOf(headers: Headers, operation: Operation): Conditions {
  const ifMatch = headers.get('if-match')
  // A precondition that nobody checks must not look as if it had held.
  if (ifMatch !== null && !operation.hasRevision && operation.method !== 'GET') {
    throw new Failure(
      'invalid_request',
      { reason: 'If-Match has no meaning here: this resource has no ETag.' },
      { param: 'if-match' },
    )
  }
  return { ifMatch, ifNoneMatch: operation.method === 'GET' ? null : headers.get('if-none-match') }
}

async function checkConditions(
  decoded: DecodedCall,
  { ifMatch, ifNoneMatch }: Conditions,
  context: AnyContext,
): Promise<void> {
  if (ifMatch === null && ifNoneMatch === null) return
  const actual = await etagOf(decoded, context)
  const isMatch = ifMatch === null || isNamed(ifMatch, actual)
  const isFree = ifNoneMatch === null || !isNamed(ifNoneMatch, actual)
  if (isMatch && isFree) return
  throw new Failure('precondition_failed', {
    expected: (ifMatch ?? `none of ${ifNoneMatch}`).slice(0, 128),
    actual: actual ?? 'none',
  })
}

/** RFC 9110 13.1.1: `*` means any that exists, otherwise one of the list, compared strongly. */
function isNamed(header: string, etag: string | null): boolean {
  if (etag === null) return false
  return header.trim() === '*' || header.split(',').some((candidate) => candidate.trim() === etag)
}

async function etagOf(decoded: DecodedCall, context: AnyContext): Promise<string | null> {
  const revision = await decoded.revision(context)
  if (revision === null) return null
  const text = JSON.stringify(revision, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return `"${sha256(text).slice(0, 32)}"`
}

async function touch({ token }: Caller, { nowMs, onInternal, store }: OperationDeps): Promise<void> {
  const now = nowMs()
  if (token.lastUsedAtMs !== null && now - token.lastUsedAtMs < touchEveryMs) return
  try {
    await store.transaction(async (nouns) => {
      await nouns.tokens.touch(token.id, now)
      // Once in a while is often enough, and this is once in a while.
      await nouns.idempotency.prune(now - idempotencyKeptMs)
    })
  } catch (error) {
    // The answer stands whether or not this could be noted.
    onInternal(error, { requestId: '', operation: 'tokens.touch' })
  }
}

function routeFailure(
  route: Exclude<Route, { kind: 'found' }>,
  { headers, method }: Request,
  path: string,
  gateway: () => string,
): Failure {
  if (route.kind === 'other_method') {
    return new Failure('method_not_allowed', { method, allowed: route.allowed.join(', ') })
  }
  if (route.kind === 'malformed') {
    const { parameter } = route
    return new Failure(
      'invalid_request',
      { reason: `${parameter} is not percent-encoded UTF-8.` },
      { param: parameter },
    )
  }
  const isCall =
    isGatewayPath(path) || (headers.get('authorization') ?? '').toLowerCase().startsWith('bearer ak_')
  const hint = isCall ? `this is ${controlPlane(gateway())}.` : 'the operations are in /v1/openapi.json.'
  return new Failure('no_such_path', { method, path: path.slice(0, 256), hint })
}

function modeOf(headers: Headers): Mode {
  const mode = headers.get('x-svc-mode') ?? 'live'
  if (mode === 'live' || mode === 'test') return mode
  throw new Failure(
    'invalid_request',
    { reason: 'x-svc-mode must be live or test.' },
    { param: 'x-svc-mode' },
  )
}

function keyOf(headers: Headers): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || /^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(key)) return key
  throw new Failure(
    'invalid_request',
    { reason: 'Idempotency-Key must be 1 to 255 printable ASCII characters.' },
    { param: 'idempotency-key' },
  )
}

/** Each parameter once: which of two values would hold is nobody's guess. */
function queryOf(url: URL): Record<string, string> {
  const pairs = [...url.searchParams]
  const names = new Set<string>()
  for (const [name] of pairs) {
    if (names.has(name)) {
      throw new Failure(
        'invalid_request',
        { reason: `${name.slice(0, 64)} is given twice.` },
        { param: name.slice(0, 64) },
      )
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
