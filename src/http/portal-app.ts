import { privateHeaders } from '#domain/cache-charge-and-retry-headers.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Application } from '#domain/application-record.ts'
import { logoPath } from '#operations/brand/shared/brand-view.ts'
import { operations } from '#operations/index.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import { callGuard } from './apply-rate-limits-to-caller.ts'
import { baseHeaders, errorAnswer, withRequestId } from './error-responses.ts'
import { logoAnswer } from './portal-logo-response.ts'
import { operationHandler, type OperationDeps } from './operation-routes.ts'
import type { BuiltPages } from './pages/built-pages.ts'
import { closedPortal, closedStyle, closedStylePath } from '#http/pages/page-of-closed-portal.ts'
import { missingPages } from '#http/pages/page-if-pages-are-not-built.ts'
import { goneAnswer, isForBrowser, isNavigation, pageAnswer } from '#http/pages/page-response-headers.ts'
import { brandIcon, brandPaths, brandStyle, portalDocument } from './pages/portal-document.ts'
import { isOfPortal } from './is-served-by-portal.ts'

export type PortalApp = (request: Request, client: Client, applicationId: string) => Promise<Response>

export interface PortalDeps extends OperationDeps {
  readonly pages: BuiltPages
}

/**
 * Serves the host of a portal: the operations of signed-in end users, the sign-in operations, the pages with their
 * files and the brand, and the probe of a supervisor.
 */
export function portalApp(deps: PortalDeps): PortalApp {
  const handle = operationHandler(operations.filter(isOfPortal), deps, callGuard(deps))
  return async function answer(request, client, applicationId) {
    const requestId = idOf('req', deps.ports.newId())
    try {
      const application = await applicationOfHost(applicationId, deps)
      if (application.archivedAtMs !== null) {
        return withRequestId(await closedAnswer(request, application, requestId, deps), requestId)
      }
      const other = await fileAnswer(request, application, requestId, deps)
      if (!other) return await handle(request, client, applicationId)
      if (request.method === 'GET' || request.method === 'HEAD') return withRequestId(other, requestId)
      throw new Failure('method_not_allowed', { method: request.method, allowed: 'GET, HEAD' })
    } catch (error) {
      return errorAnswer(error, requestId, (cause) => deps.onInternal(cause, { requestId, operation: null }))
    }
  }
}

/** Read for every request, because another process may have archived the application. */
async function applicationOfHost(id: string, { store }: OperationDeps): Promise<Application> {
  const application = await read('an application', store.read.applications.ofHost(id))
  if (!application) throw new Failure('unknown_host')
  return application
}

/** The response for an archived application. Browsers get a page with the brand, and programs get an error. */
async function closedAnswer(
  request: Request,
  application: Application,
  requestId: string,
  deps: PortalDeps,
): Promise<Response> {
  const { headers, method } = request
  const { pathname } = new URL(request.url)
  if (method === 'GET' || method === 'HEAD') {
    if (pathname === closedStylePath) return fileOf('text/css', closedStyle, false)
    const file = await brandFile(request, application, requestId, deps)
    if (file) return file
    if (!pathname.startsWith('/v1/') && isForBrowser(headers)) {
      const brand = await read('a brand', deps.store.read.brands.of(application.id))
      return goneAnswer(closedPortal(application, brand))
    }
  }
  throw new Failure('application_archived', { slug: application.slug })
}

/** Null if an operation must handle the request. */
async function fileAnswer(
  request: Request,
  application: Application,
  requestId: string,
  deps: PortalDeps,
): Promise<Response | null> {
  const { pages, store } = deps
  const { pathname } = new URL(request.url)
  if (pathname === '/healthz') {
    return new Response('{"status":"ok"}', { headers: baseHeaders(requestId) })
  }
  const asset = pages.asset(pathname, request.headers.get('accept-encoding') ?? '')
  if (asset) return asset
  const file = await brandFile(request, application, requestId, deps)
  if (file) return file
  // Paths of the API never return a page. `/` returns a page for every method.
  if (pathname !== '/' && (pathname.startsWith('/v1/') || !isNavigation(request, pathname))) return null
  const built = pages.html('portal')
  if (built === null) return missingPages()
  const brand = await read('a brand', store.read.brands.of(application.id))
  return pageAnswer(portalDocument(built, application, brand), request, [])
}

async function brandFile(
  request: Request,
  application: Application,
  requestId: string,
  { store }: PortalDeps,
): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url)
  const logo = logoPath('')
  if (pathname.startsWith(logo)) {
    return logoAnswer(store, pathname.slice(logo.length), application.id, requestId)
  }
  const isVersioned = searchParams.has('v')
  const brand = () => read('a brand', store.read.brands.of(application.id))
  if (pathname === brandPaths.style) return fileOf('text/css', brandStyle(await brand()), isVersioned)
  if (pathname === brandPaths.icon) return fileOf('image/svg+xml', brandIcon(await brand()), isVersioned)
  return null
}

/** @param isVersioned whether the URL of the file changes when the content changes */
function fileOf(type: string, text: string, isVersioned: boolean): Response {
  return new Response(text, {
    headers: {
      ...privateHeaders,
      'content-type': type,
      'cache-control': isVersioned ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    },
  })
}

async function read<T>(what: string, reading: Promise<T>): Promise<T> {
  return reading.catch((cause: unknown) => {
    throw new StoreUnavailable(`read ${what}`, { cause })
  })
}
