import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import type { ApplicationConfig } from '#domain/application-config.ts'
import type { Configuration } from '#gateway/decide/configuration.ts'

/**
 * Cross-origin requests (Fetch Standard, "HTTP CORS protocol"): pages of the origins that an application names may call
 * its gateway and read the answers, refusals and streams too. Without origins there is no trace of any of this, and a
 * preflight is a method that is not allowed. Credentials are never allowed: a key is a header that the page sends, and
 * no cookie counts here, so `*` gives away nothing that a page does not have (docs/reference/threats.md "Pages of other origins").
 * The console of this server may always call: its pages try calls out (docs/decisions/2026-11-22-how-pages-are-served.md).
 *
 * Puts the headers on the response, to which its head is added later.
 * @returns `goes_on`, `answered` for a preflight that is allowed, or its refusal
 */
export async function crossOrigin(
  request: IncomingMessage,
  response: ServerResponse,
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
  response.setHeader('access-control-allow-methods', 'GET, POST')
  // Official clients send dozens of headers of their own, and `*` does not cover `authorization`.
  const asked = headers['access-control-request-headers']
  if (asked !== undefined && headerNames.test(asked))
    response.setHeader('access-control-allow-headers', asked)
  response.setHeader('access-control-max-age', preflightSeconds)
  response.writeHead(204).end()
  return 'answered'
}

interface Own {
  readonly applicationId: string
  readonly configuration: Configuration
  readonly isConsole: (origin: string) => boolean
}

const preflightVary = 'origin, access-control-request-method, access-control-request-headers'

/** Names of headers, as a browser lists them. */
const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/

/** How long a browser may remember a preflight. */
const preflightSeconds = 600

/** Headers that a page may read: those with which the gateway says how a call went. */
const exposed = [
  'x-request-id',
  'request-id',
  'retry-after',
  'x-should-retry',
  'x-svc-abort-reason',
  'x-svc-conversion-lost',
  'x-svc-token-count',
].join(', ')

/**
 * The rules to judge an origin by: the remembered ones while they allow it. A preflight is answered by those stored now,
 * and so is an origin that is not allowed: a browser that is refused makes no call that would notice old rules.
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
    // The store is away; a call is told so when it needs it.
    return null
  }
}
