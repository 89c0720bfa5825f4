import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import { contrastOf } from '#operations/brand/contrast.ts'
import { logoPath } from '#operations/brand/brand-view.ts'
import { nounOf, operations } from '#operations/index.ts'
import type { Client, Operation } from '#operations/operation.ts'
import { baseHeaders, errorAnswer } from './error-answer.ts'
import { logoAnswer } from './logo-answer.ts'
import { operationHandler, type OperationDeps } from './operation-routes.ts'
import { portalPage } from './portal-page.ts'

/** Answers a request to the host of one application's portal. */
export type PortalApp = (request: Request, client: Client, applicationId: string) => Promise<Response>

/**
 * What the host of a portal serves: the operations of people who are signed in there, those that sign them in,
 * the logo, a page, and the probe of a supervisor; nothing else of the control plane.
 */
export function portalApp(deps: OperationDeps): PortalApp {
  const handle = operationHandler(operations.filter(isOfPortal), deps)
  return async function answer(request, client, applicationId) {
    const requestId = idOf('req', deps.ports.newId())
    try {
      const { pathname } = new URL(request.url)
      const other = await fileAnswer(pathname, applicationId, requestId, deps)
      if (!other) return await handle(request, client, applicationId)
      if (request.method === 'GET' || request.method === 'HEAD') return other
      throw new Failure('method_not_allowed', { method: request.method, allowed: 'GET, HEAD' })
    } catch (error) {
      return errorAnswer(error, requestId, (cause) => deps.onInternal(cause, { requestId, operation: null }))
    }
  }
}

/** Whether a portal's host serves it too. */
export function isOfPortal(operation: Operation): boolean {
  return operation.scope === 'end_user' || (operation.scope === 'public' && nounOf(operation) === 'portal')
}

/** Null: nothing but an operation may be there. */
async function fileAnswer(
  pathname: string,
  applicationId: string,
  requestId: string,
  deps: OperationDeps,
): Promise<Response | null> {
  if (pathname === '/healthz') {
    return new Response('{"status":"ok"}', { headers: baseHeaders(requestId) })
  }
  if (pathname === '/') return rootPage(applicationId, deps)
  const logo = logoPath('')
  if (!pathname.startsWith(logo)) return null
  return logoAnswer(deps.store, pathname.slice(logo.length), applicationId, requestId)
}

async function rootPage(applicationId: string, { store }: OperationDeps): Promise<Response> {
  const { read } = store
  const [application, brand] = await Promise.all([
    read.applications.ofHost(applicationId),
    read.brands.of(applicationId),
  ]).catch((cause: unknown) => {
    throw new StoreUnavailable('read a brand', { cause })
  })
  if (!application) throw new Failure('unknown_host')
  const { logo, primaryColor, productName } = brand
  return portalPage({
    productName: productName ?? application.name,
    primaryColor,
    textColor: contrastOf(primaryColor).textColor,
    logo: logo && logoPath(logo.hash),
  })
}
