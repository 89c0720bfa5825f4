import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Failure } from '#domain/errors.ts'
import { isHostAnAddress, type HostTable, type Surface } from '#domain/network/surface-selected-by-host.ts'
import { isLoop } from '#domain/network/detect-request-loops.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { checkIntervalMs, connectionTimes, headLimits } from './connection-timeouts-and-head-limits.ts'
import { EdgeServer, type EdgePorts } from './edge/edge-server.ts'
import { errorAnswer } from './error-responses.ts'

/**
 * Selects the surface (gateway, portal or control plane) that handles a request. Gateways receive Node's request and
 * response objects. All other requests go through the web framework.
 *
 * The Host header identifies the tenant, and is parsed only once, with a strict grammar (docs/reference/threats.md "The
 * Host header selects the tenant"). Requests with an absolute URL as target, or with two Host headers, are rejected
 * first, because different parsers could find different tenants in them.
 */
export interface ServerParts {
  readonly gateway: Gateway
  readonly control: (
    request: Request,
    bindings: { readonly incoming: IncomingMessage },
  ) => Response | Promise<Response>
  readonly portal: (
    request: Request,
    bindings: { readonly incoming: IncomingMessage; readonly applicationId: string },
  ) => Promise<Response>
  /** Called for every request, because applications are added and removed. */
  readonly hosts: () => HostTable
  /**
   * Reads the table of hosts again before an unknown host is rejected, because another process may have added the host.
   * Null if this is the only process.
   */
  readonly refreshHosts: (() => Promise<void>) | null
  /** The name of this installation in `CDN-Loop` (detect-request-loops.ts). */
  readonly loopName: string
  readonly isHttps: { readonly control: boolean; readonly portal: boolean }
  readonly newRequestId: () => string
  readonly onInternal: (error: unknown) => void
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * @param port the loopback port of one surface of one application, which ignores the Host header; null for the
 * process's own port
 */
export function requestListener(parts: ServerParts, port: number | null): Listener {
  const find = surfaceFinder(parts, port)
  const asRequest = (
    handle: (request: Request, incoming: IncomingMessage) => Response | Promise<Response>,
  ): ReturnType<typeof getRequestListener> =>
    getRequestListener((request, bindings) => handle(request, bindings.incoming as IncomingMessage), {
      overrideGlobalObjects: false,
    })
  const control = asRequest((request, incoming) => parts.control(request, { incoming }))
  const serve = (surface: Surface, request: IncomingMessage, response: ServerResponse): void => {
    if (surface.kind === 'gateway') parts.gateway.handle(request, response, surface.applicationId)
    else {
      // Omit includeSubDomains (RFC 6797), because this server must not decide for other hosts of the domain.
      if (parts.isHttps[surface.kind]) response.setHeader('strict-transport-security', 'max-age=31536000')
      if (request.headers.expect !== undefined) continueWhenRead(request, response)
      if (surface.kind === 'control') void control(request, response)
      else {
        const { applicationId } = surface
        const portal = asRequest((asked, incoming) => parts.portal(asked, { incoming, applicationId }))
        void portal(request, response)
      }
    }
  }
  const look = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await parts.refreshHosts?.()
    } catch {
      // If the store is unavailable, use the known hosts.
    }
    // The client may have disconnected while the hosts were read.
    if (request.destroyed || response.destroyed) return
    const surface = find(request.headers.host ?? '')
    if (typeof surface === 'string') refuse(parts, response, new Failure('unknown_host'))
    else serve(surface, request, response)
  }
  return (request, response) => {
    const coding = request.headers['transfer-encoding']
    // This server decodes only `chunked`, so reject other transfer codings (RFC 9112 6.1).
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      refuse(parts, response, new Failure('unsupported_transfer_encoding'))
      return
    }
    if (isLoop(request.headers['cdn-loop'], parts.loopName)) {
      refuse(parts, response, new Failure('request_loop'))
      return
    }
    const surface = hasOneHost(request) ? find(request.headers.host ?? '') : 'malformed'
    if (surface === 'malformed') refuse(parts, response, new Failure('invalid_host'))
    else if (surface !== 'unknown') serve(surface, request, response)
    else if (port === null && isForMonitoring(request)) serve({ kind: 'control' }, request, response)
    else if (parts.refreshHosts === null) refuse(parts, response, new Failure('unknown_host'))
    else void look(request, response)
  }
}

/** Selects the requests that the edge serves at a port: those that `requestListener` would pass on to a gateway. */
export function gatewayRequests(parts: ServerParts, port: number | null): EdgePorts {
  const find = surfaceFinder(parts, port)
  return {
    applicationOf({ headers }) {
      if (isLoop(headers['cdn-loop'], parts.loopName)) return null
      const surface = find(headers.host ?? '')
      return typeof surface !== 'string' && surface.kind === 'gateway' ? surface.applicationId : null
    },
    serve: (request, response, applicationId) => parts.gateway.handle(request, response, applicationId),
  }
}

type SurfaceFinder = (host: string) => ReturnType<HostTable['find']>

function surfaceFinder(parts: ServerParts, port: number | null): SurfaceFinder {
  const own = `127.0.0.1:${port}`
  return (host) => {
    const hosts = parts.hosts()
    const surface = hosts.find(host)
    if (port === null || typeof surface === 'string') return surface
    return hosts.find(own) === surface ? surface : 'unknown'
  }
}

/**
 * Returns a server with the limits that apply to every port of the process.
 * @param edge selects the requests that the edge serves; null if Node's server reads all requests
 * @param connectionsMax further connections are closed when they are accepted; null means no limit
 */
export function boundedServer(
  listener: Listener,
  edge: EdgePorts | null,
  connectionsMax: number | null,
): Server {
  const options = {
    ...connectionTimes,
    maxHeaderSize: headLimits.bytesMax,
    connectionsCheckingInterval: checkIntervalMs,
  }
  const server = edge === null ? createServer(options, listener) : new EdgeServer(options, listener, edge)
  if (connectionsMax !== null) server.maxConnections = connectionsMax
  server.maxHeadersCount = headLimits.fieldsMax
  // The handler of the request sends `100 Continue` when it begins to read the body.
  server.on('checkContinue', listener)
  return server
}

/** The body is read after the caller is authenticated. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.once('resume', () => {
    if (!response.headersSent) response.writeContinue()
  })
}

/**
 * Whether a supervisor, a load balancer or a scraper sent the request. They connect to the address of each server and
 * send this address as Host. The paths select no tenant.
 */
function isForMonitoring({ headers, url = '' }: IncomingMessage): boolean {
  const [path = ''] = url.split('?', 1)
  return monitoringPaths.has(path) && isHostAnAddress(headers.host ?? '')
}

const monitoringPaths: ReadonlySet<string> = new Set(['/health', '/healthz', '/readyz', '/metrics'])

function hasOneHost(request: IncomingMessage): boolean {
  if (request.url?.charCodeAt(0) !== 0x2f) return false
  const raw = request.rawHeaders
  let hosts = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1
}

function refuse(parts: ServerParts, response: ServerResponse, failure: unknown): void {
  const answer = errorAnswer(failure, parts.newRequestId(), parts.onInternal)
  answer.headers.forEach((value, name) => response.setHeader(name, value))
  if (!response.req.complete) response.setHeader('connection', 'close')
  void answer.text().then((text) => response.writeHead(answer.status).end(text))
}
