/**
 * If a path also belongs to the control plane, the request's credential selects one of the two. `x-demo-tenant` alone
 * selects the demo tier, `Authorization` alone selects the control plane, and both together are rejected.
 */
import type { BodyIntake } from '#gateway/overload/limit-memory-of-bodies.ts'
import type { DemoOperation, DemoPath, NotBuilt } from '#demo/demo-operation.ts'
import { demoPaths } from '#demo/demo-paths.ts'
import type { DemoTenant } from '#demo/demo-tenant.ts'
import { demoTenantSlugs, type DemoTier } from '#demo/demo-tier.ts'
import { Failure } from '#domain/errors.ts'
import { failureHeaders } from '#domain/cache-charge-and-retry-headers.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { networkName } from '#domain/network/address-ranges.ts'
import { baseHeaders, errorAnswer } from './error-responses.ts'
import { inputFailure, invalidRequest } from './error-for-invalid-input.ts'
import { ownerOf } from './owner-of-body-memory.ts'
import { publicBodyBytesMax, readJsonBody } from './read-json-body.ts'
import type { OperationDeps } from './operation-routes.ts'
import { queryOf } from './receive-operation-input.ts'
import { refusalOf } from './record-of-rejected-request.ts'
import { RateLimiter } from './control-plane-rate-limiter.ts'
import { routeTable, type Route } from './route-table.ts'

/**
 * Returns null if the request is not for the demo tier.
 * @param operations the control plane's operations, which serve shared paths unless the request names a tenant
 */
export function demoHandler(
  tier: DemoTier,
  operations: readonly Operation[],
  { bodies, monotonicMs, onInternal, onRefused, ports, rateLimits }: OperationDeps,
): (request: Request, client: Client) => Promise<Response> | null {
  const routes = routeTable(demoPaths)
  const control = routeTable(operations)
  // Anyone can send the tenant header, so limit each address like one credential.
  const rate = rateLimits?.credential ?? null
  const limiter = rate && new RateLimiter(rate, monotonicMs)
  return function handle(request, client) {
    const { address } = client
    const path = new URL(request.url).pathname
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const route = routes.find(method, path)
    if (route.kind === 'unknown') return null
    if (!request.headers.has('x-demo-tenant')) {
      const isNotBuilt = route.kind === 'found' && route.operation.kind === 'not_built'
      const hasCredential = request.headers.has('authorization') || request.headers.has('cookie')
      // Callers without a credential get the same response as for other paths of the demo tier, even if the path is not
      // implemented.
      if (control.find(method, path).kind !== 'unknown' && (hasCredential || !isNotBuilt)) return null
      const { withToken = null } = route.kind === 'found' ? route.operation : {}
      if (request.headers.has('authorization') && withToken === null) return null
    }
    const requestId = idOf('req', ports.newId())
    return answer(route, request, { tier, limiter, bodies, address, path, requestId }).catch(
      (error: unknown) => {
        const operation = route.kind === 'found' ? route.operation.id : null
        return errorAnswer(error, requestId, (cause) => onInternal(cause, { requestId, operation }), {
          onRefused: (failure) =>
            onRefused(refusalOf(failure, { requestId, operation, client, portalOf: null, caller: null })),
        })
      },
    )
  }
}

interface Arrived {
  readonly tier: DemoTier
  readonly limiter: RateLimiter | null
  readonly bodies: BodyIntake
  readonly address: string
  readonly path: string
  readonly requestId: string
}

async function answer(
  route: Exclude<Route<DemoPath>, { kind: 'unknown' }>,
  request: Request,
  { address, bodies, limiter, path, requestId, tier }: Arrived,
): Promise<Response> {
  limiter?.take(networkName(address))
  const { headers, method } = request
  const hasToken = headers.has('authorization')
  if (hasToken && headers.has('x-demo-tenant')) throw new Failure('conflicting_credentials')
  if (route.kind === 'other_method') {
    throw new Failure('method_not_allowed', { method, allowed: route.allowed.join(', ') })
  }
  if (route.kind === 'malformed') {
    throw invalidRequest(`${route.parameter} is not percent-encoded UTF-8.`, route.parameter)
  }
  const { operation } = route
  if (hasToken)
    throw new Failure('no_such_path', { method, path: path.slice(0, 256), hint: operation.withToken })
  if (operation.kind === 'not_built') return notBuilt(operation, requestId)
  const json = await answerOf(operation, request, tenantOf(headers, tier), bodies)
  return new Response(JSON.stringify(json), { headers: baseHeaders(requestId) })
}

async function answerOf(
  operation: DemoOperation,
  request: Request,
  tenant: DemoTenant,
  intake: BodyIntake,
): Promise<unknown> {
  const terms = { bytesMax: publicBodyBytesMax, intake, owner: ownerOf(null) }
  const body = operation.input.body === null ? undefined : await readJsonBody(request, terms)
  const decoded = operation.decode({ query: queryOf(new URL(request.url)), body })
  if (decoded.kind === 'fault') throw inputFailure(operation, decoded)
  const answered = decoded.run(tenant)
  if (answered instanceof Refused) throw answered.failure
  return answered.json
}

/** The header replaces a credential, so a wrong header is rejected with 401. */
function tenantOf(headers: Headers, tier: DemoTier): DemoTenant {
  const tenants = demoTenantSlugs.join(' or ')
  const slug = headers.get('x-demo-tenant') ?? ''
  if (slug === '') throw new Failure('demo_tenant_required', { tenants })
  const found = tier.tenant(slug)
  if (!found) throw new Failure('demo_tenant_unknown', { tenant: slug.slice(0, 64), tenants })
  return found
}

/** The published response has neither a message nor a request ID, and this response must match it exactly. */
function notBuilt({ issue }: NotBuilt, requestId: string): Response {
  const failure = new Failure('not_implemented')
  return new Response(JSON.stringify({ error: { code: failure.code, issue } }), {
    status: failure.status,
    headers: { ...baseHeaders(requestId), ...failureHeaders(failure) },
  })
}
