import type { Brand } from '#domain/brand.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import type { Application } from '#domain/records.ts'
import { contrastOf } from '#operations/brand/contrast.ts'
import { logoPath } from '#operations/brand/brand-view.ts'
import { operations } from '#operations/index.ts'
import type { Client } from '#operations/context.ts'
import { callGuard } from './call-guard.ts'
import { baseHeaders, errorAnswer } from './error-answer.ts'
import { logoAnswer } from './logo-answer.ts'
import { operationHandler, type OperationDeps } from './operation-routes.ts'
import { isOfPortal } from './portal-operations.ts'
import { portalPage } from './portal-page.ts'

/** Answers a request to the host of one application's portal. */
export type PortalApp = (request: Request, client: Client, applicationId: string) => Promise<Response>

/**
 * What the host of a portal serves: the operations of people who are signed in there, those that sign them in,
 * the logo, a page, and the probe of a supervisor; nothing else of the control plane.
 */
export function portalApp(deps: OperationDeps): PortalApp {
  const handle = operationHandler(operations.filter(isOfPortal), deps, callGuard(deps))
  return async function answer(request, client, applicationId) {
    const requestId = idOf('req', deps.ports.newId())
    try {
      const { pathname } = new URL(request.url)
      const application = await servingApplication(applicationId, deps)
      const other = await fileAnswer(pathname, application, requestId, deps)
      if (!other) return await handle(request, client, applicationId)
      if (request.method === 'GET' || request.method === 'HEAD') return other
      throw new Failure('method_not_allowed', { method: request.method, allowed: 'GET, HEAD' })
    } catch (error) {
      return errorAnswer(error, requestId, (cause) => deps.onInternal(cause, { requestId, operation: null }))
    }
  }
}

/** Read anew each time: another process may have archived it. */
async function servingApplication(id: string, { store }: OperationDeps): Promise<Application> {
  const application = await read('an application', store.read.applications.ofHost(id))
  if (!application) throw new Failure('unknown_host')
  if (application.archivedAtMs === null) return application
  throw new Failure('application_archived', { slug: application.slug })
}

/** Null: nothing but an operation may be there. */
async function fileAnswer(
  pathname: string,
  application: Application,
  requestId: string,
  { store }: OperationDeps,
): Promise<Response | null> {
  if (pathname === '/healthz') {
    return new Response('{"status":"ok"}', { headers: baseHeaders(requestId) })
  }
  if (pathname === '/') {
    return rootPage(application, await read('a brand', store.read.brands.of(application.id)))
  }
  const logo = logoPath('')
  if (!pathname.startsWith(logo)) return null
  return logoAnswer(store, pathname.slice(logo.length), application.id, requestId)
}

function rootPage({ name }: Application, { logo, primaryColor, productName }: Brand): Response {
  return portalPage({
    productName: productName ?? name,
    primaryColor,
    textColor: contrastOf(primaryColor).textColor,
    logo: logo && logoPath(logo.hash),
  })
}

async function read<T>(what: string, reading: Promise<T>): Promise<T> {
  return reading.catch((cause: unknown) => {
    throw new StoreUnavailable(`read ${what}`, { cause })
  })
}
