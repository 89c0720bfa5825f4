import { answerHeaders } from '#domain/cache-charge-and-retry-headers.ts'
import { Failure } from '#domain/errors.ts'
import type { ApplicationConfig } from '#domain/application-config.ts'
import type { ClientRequest, ClientResponse } from '#gateway/call/client-exchange-interface.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'

/**
 * Handles cross-origin requests (Fetch Standard, "HTTP CORS protocol"). An application can list origins whose pages may
 * call its gateway and read all responses, including rejections and streams. Without such a list, no CORS headers are
 * sent, and a preflight is rejected as a method that is not allowed.
 *
 * Credentials are never allowed, because pages send the key in a header and the gateway ignores cookies. If the
 * application lists `*`, a page of any origin may call the gateway. The page reads only what any program with the key
 * could read (docs/reference/threats.md "Web pages of other origins"). This server's console may call every gateway to
 * send test requests (docs/decisions/2026-11-22-how-pages-are-served.md).
 *
 * Writes the whole response to an allowed preflight. For any other request, only sets headers.
 * @returns `goes_on`, `answered` for an allowed preflight, or the rejection of a preflight
 */
export async function crossOrigin(
  request: ClientRequest,
  response: ClientResponse,
  { applicationId, configuration, isConsole }: Own,
): Promise<'goes_on' | 'answered' | Failure> {
  const { headers, method } = request
  const { origin = '' } = headers
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
  const origins = isConsole(origin)
    ? new Set([origin])
    : (await rulesFor(origin, isPreflight, applicationId, configuration))?.origins
  if (origins === undefined || origins.size === 0) return 'goes_on'
  response.setHeader('vary', isPreflight ? preflightVary : 'origin')
  const allowed = origins.has('*') ? '*' : origins.has(origin) ? origin : null
  if (allowed === null)
    return isPreflight ? new Failure('origin_not_allowed', { origin: origin.slice(0, 200) }) : 'goes_on'
  response.setHeader('access-control-allow-origin', allowed)
  if (!isPreflight) {
    response.setHeader('access-control-expose-headers', exposed)
    return 'goes_on'
  }
  response.setHeader('access-control-allow-methods', 'GET, POST, PATCH, DELETE')
  // Repeat the requested names, because official clients send dozens of headers and `*` does not cover `authorization`.
  const asked = headers['access-control-request-headers']
  if (asked !== undefined && headerNames.test(asked))
    response.setHeader('access-control-allow-headers', asked)
  response.setHeader('access-control-max-age', preflightSeconds)
  response.writeHead(204, []).end()
  return 'answered'
}

interface Own {
  readonly applicationId: string
  readonly configuration: Configuration
  readonly isConsole: (origin: string) => boolean
}

const preflightVary = 'origin, access-control-request-method, access-control-request-headers'

const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/

const preflightSeconds = 600

/** Pages may read these headers, which report the outcome of a call. */
const exposed = [
  'x-request-id',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  // The state of an upload to Google, and the URL for the file (docs/reference/wires.md "Files").
  'x-goog-upload-status',
  'x-goog-upload-url',
  'x-svc-abort-reason',
  'x-svc-conversion-lost',
  'x-svc-token-count',
  answerHeaders.charge,
  answerHeaders.remaining,
].join(', ')

/**
 * If the cached rules allow the origin, the store is not read. Preflights always use the stored rules. The browser
 * sends no call after a rejected preflight, so no reserve would detect outdated rules.
 */
async function rulesFor(
  origin: string,
  isPreflight: boolean,
  applicationId: string,
  configuration: Configuration,
): Promise<ApplicationConfig['gateway']> {
  try {
    const known = await configuration.config(applicationId)
    const isAllowed =
      known?.gateway?.origins.has(origin) === true || known?.gateway?.origins.has('*') === true
    if (isAllowed && !isPreflight) return known.gateway
    return (await configuration.current(applicationId))?.gateway ?? null
  } catch {
    // The call itself reads the store later, and fails with the same error.
    return null
  }
}
