/**
 * Handles an HTTP request to any operation, in these steps:
 *
 * find the operation -> authenticate -> rate and role -> read the body and check the input (receive-operation-input.ts)
 * -> execute (execute-operation.ts) -> write the response
 */
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { NoteRefusal } from '#domain/rejected-request-facts.ts'
import type { Store } from '#domain/store-interface.ts'
import type { BodyIntake } from '#gateway/overload/limit-memory-of-bodies.ts'
import { denial } from '#operations/kernel/access-denial.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { answerBody, streamHeaders } from './choose-response-body-and-headers.ts'
import { authenticate, sessionCookieName, type Caller } from './authenticate-caller.ts'
import { credentialIn, originOf } from './session-cookie-and-csrf.ts'
import { baseHeaders, errorAnswer } from './error-responses.ts'
import { execute, orReport, type Arrived, type ExecutionDeps } from './execute-operation.ts'
import { recordLastUse } from './record-last-credential-use.ts'
import type { CallGuard } from './apply-rate-limits-to-caller.ts'
import { authenticateEndUser, noteSessionUse, portalCookie } from './authenticate-end-user.ts'
import type { RateLimits } from './control-plane-rate-limiter.ts'
import { Running } from './idempotent-repeats.ts'
import { receive } from './receive-operation-input.ts'
import { refusalOf } from './record-of-rejected-request.ts'
import { routeFailure } from './failure-of-unknown-route.ts'
import { routeTable } from './route-table.ts'

export interface OperationDeps extends ExecutionDeps {
  readonly rateLimits: RateLimits | null
  readonly bodies: BodyIntake
  /** Called for every rejection with 401, 403 or 429. */
  readonly onRefused: NoteRefusal
  /** Called once for each address that looks like an untrusted proxy (warn-of-untrusted-proxies.ts). */
  readonly onUntrustedProxy: (address: string) => void
  readonly monotonicMs: () => number
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

/** Public operations only look up single rows, so their reads count toward no caller's share. */
function storeOf(caller: Caller | null, store: Store, guard: CallGuard): Arrived['store'] {
  if (caller === null) return store
  const reader = guard.readerOf(caller)
  return { read: store.readFor(reader), transaction: (work) => store.transaction(work, reader) }
}

function noteCaller(caller: Caller, { nowMs, store }: OperationDeps): Promise<void> {
  return caller.kind === 'portal'
    ? noteSessionUse(caller.session, store, nowMs())
    : recordLastUse(caller.actor, store, nowMs())
}
