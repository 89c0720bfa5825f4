import type { IncomingMessage } from 'node:http'
import { type Context, Hono } from 'hono'
import type { DemoPath } from '#demo/demo-operation.ts'
import { demoPaths } from '#demo/demo-paths.ts'
import type { DemoTier } from '#demo/demo-tier.ts'
import type { AddressRanges } from '#domain/network/address-ranges.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { identityPaths } from '#domain/people/identity-provider-interface.ts'
import { logoPath } from '#operations/brand/shared/brand-view.ts'
import { clientAddress } from '#gateway/arrive/client-address.ts'
import { operations } from '#operations/index.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import { demoHandler } from './demo-routes.ts'
import { baseHeaders, errorAnswer, withRequestId } from './error-responses.ts'
import { callGuard } from './apply-rate-limits-to-caller.ts'
import { favicon } from './favicon.ts'
import { identityHandlers, type IdentityDeps } from './identity-provider-routes.ts'
import { openapiDocument } from '#http/openapi/openapi-document.ts'
import { operationHandler, type OperationDeps } from './operation-routes.ts'
import { logoAnswer } from './portal-logo-response.ts'
import { metricsHandler, type MetricsSource } from './metrics-route.ts'
import { etagOf } from './etags-and-preconditions.ts'
import type { BuiltPages } from './pages/built-pages.ts'
import { missingPages } from '#http/pages/page-if-pages-are-not-built.ts'
import { isNavigation, pageAnswer } from '#http/pages/page-response-headers.ts'
import { referencePages } from './reference/reference-pages.ts'

export interface ControlDeps extends OperationDeps, IdentityDeps {
  /** Null if the paths of the demo tier do not exist. */
  readonly demo: DemoTier | null
  readonly readiness: () => Promise<Readiness>
  readonly trustedProxies: AddressRanges | null
  readonly metrics: MetricsSource
  readonly pages: BuiltPages
  /** The content security policy of console pages allows requests to these origins. */
  readonly gatewayOrigins: () => readonly string[]
}

export interface Readiness {
  readonly isReady: boolean
  /**
   * For each part, `ok` or a sentence about its fault. Operators read these sentences, so they never contain a secret.
   */
  readonly checks: Readonly<Record<string, string>>
}

/** Node's request object, which the server passes with each request. Absent if the request has no socket. */
export interface ControlBindings {
  readonly incoming?: IncomingMessage
}

interface DescribedApi {
  readonly document: string
  readonly etag: string
}

/** Each document is created once per process, which takes a tenth of a second. */
const documents = {
  withDemo: once(() => documentOf(demoPaths)),
  withoutDemo: once(() => documentOf([])),
}

/** The first call generates the document, which blocks the process. */
export function describedApi({ demo }: Pick<ControlDeps, 'demo'>): DescribedApi {
  return demo ? documents.withDemo() : documents.withoutDemo()
}

function documentOf(demo: readonly DemoPath[]): DescribedApi {
  const document = JSON.stringify(openapiDocument(operations, demo))
  return { document, etag: etagOf(document) }
}

function once<T>(make: () => T): () => T {
  let made: { readonly of: T } | null = null
  return () => (made ??= { of: make() }).of
}

/**
 * The control plane's API as one web application: the operations, their OpenAPI document, and the probes of a
 * supervisor.
 */
export function controlApp(deps: ControlDeps): Hono<{ Bindings: ControlBindings }> {
  const app = new Hono<{ Bindings: ControlBindings }>()
  const reference = referencePages()
  const requestId = (): string => idOf('req', deps.ports.newId())

  for (const path of ['/health', '/healthz']) {
    // Report only that the process runs. A supervisor must not restart the process when the store is unavailable.
    app.get(path, () => new Response('{"status":"ok"}', { headers: baseHeaders(requestId()) }))
  }
  app.get('/readyz', async () => {
    const { checks, isReady } = await deps.readiness()
    const body = JSON.stringify({ status: isReady ? 'ready' : 'not_ready', checks })
    return new Response(body, { status: isReady ? 200 : 503, headers: baseHeaders(requestId()) })
  })
  app.get('/v1/openapi.json', (context) => {
    const { document, etag } = describedApi(deps)
    const headers = { ...baseHeaders(requestId()), 'cache-control': 'no-cache', etag }
    if (context.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers })
    return new Response(document, { headers })
  })
  app.get('/favicon.ico', () => {
    const headers = { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' }
    return new Response(favicon, { headers: { ...baseHeaders(requestId()), ...headers } })
  })
  for (const path of ['/reference', '/reference/*']) {
    app.get(path, async (context, next) => {
      const answer = reference(context.req.path, context.req.header('accept-encoding') ?? '')
      return answer ? withRequestId(answer, requestId()) : next()
    })
  }
  const guard = callGuard(deps)
  const clientIn = (context: Context<{ Bindings: ControlBindings }>): Client =>
    clientOf(context.req.raw, incomingOf(context), deps.trustedProxies)
  const gateway = (): string =>
    deps.ports.urls({ slug: '<application>', gatewayPort: null, portalPort: null }).gateway
  const readMetrics = metricsHandler(deps, guard, gateway)
  app.get('/metrics', (context) => readMetrics(context.req.raw, clientIn(context), requestId()))
  for (const path of [
    '/favicon.ico',
    '/health',
    '/healthz',
    '/metrics',
    '/readyz',
    '/v1/openapi.json',
    '/reference',
  ]) {
    app.all(path, (context) => {
      const failure = new Failure('method_not_allowed', { method: context.req.method, allowed: 'GET, HEAD' })
      return errorAnswer(failure, requestId(), () => {}, { baseUrl: deps.ports.baseUrl() })
    })
  }

  const identity = identityHandlers(deps, guard)
  app.get(identityPaths.begin, (context) => identity.begin(context.req.raw, clientIn(context)))
  app.get(identityPaths.finish, (context) => identity.finish(context.req.raw, clientIn(context)))

  const handle = operationHandler(operations, deps, guard)
  const handleDemo = deps.demo && demoHandler(deps.demo, operations, deps)
  app.get(logoPath(':hash'), (context) =>
    logoAnswer(deps.store, context.req.param('hash') ?? '', null, requestId()),
  )
  app.get('/assets/*', async (context, next) => {
    const answer = deps.pages.asset(context.req.path, context.req.header('accept-encoding') ?? '')
    return answer ?? next()
  })
  app.get('*', async (context, next) => {
    const { path, raw } = context.req
    if (path.startsWith('/v1/') || !isNavigation(raw, path)) return next()
    const html = deps.pages.html(path === '/ui' ? 'ui' : 'console') ?? deps.pages.html('console')
    const page = html === null ? missingPages() : pageAnswer(html, raw, deps.gatewayOrigins())
    return withRequestId(page, requestId())
  })
  app.all('*', (context) => {
    const { raw } = context.req
    const client = clientIn(context)
    const incoming = incomingOf(context)
    return (
      handleDemo?.(raw, client) ??
      handle(raw, client, null, incoming ? () => incoming.socket.destroy() : undefined)
    )
  })
  app.onError((error) => {
    const id = requestId()
    return errorAnswer(error, id, (cause) => deps.onInternal(cause, { requestId: id, operation: null }), {
      baseUrl: deps.ports.baseUrl(),
    })
  })
  return app
}

/** @param incoming null if a test calls the function without a socket */
export function clientOf(
  { headers }: Request,
  incoming: IncomingMessage | null,
  trustedProxies: AddressRanges | null,
): Client {
  return {
    address: (incoming && clientAddress(incoming, trustedProxies)) ?? '',
    userAgent: (headers.get('user-agent') ?? '').slice(0, 256),
    isForwarded: trustedProxies === null && headers.has('x-forwarded-for'),
  }
}

/** Null for a request without a socket, with which Hono passes no environment. */
function incomingOf(context: Context<{ Bindings: ControlBindings }>): IncomingMessage | null {
  const bindings: ControlBindings | undefined = context.env
  return bindings?.incoming ?? null
}
