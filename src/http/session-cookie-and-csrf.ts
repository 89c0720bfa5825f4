/**
 * The cookie of a browser session, and the proof that a change comes from a page of the same host
 * (docs/reference/threats.md "Changes with a session cookie").
 *
 * The session secret is in a `__Host-` cookie, which a browser hides from scripts and sends only to the host that set
 * it. However, a browser sends the cookie even if another site caused the request. A change therefore also requires
 * this host's origin, and a token that only pages of this host can read. The token is an HMAC of the secret. The server
 * does not store the token, and the token is not valid for any other session.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Failure } from '#domain/errors.ts'
import { isLoopback, parseHost } from '#domain/network/surface-selected-by-host.ts'

/** Null if the cookie is missing, or occurs twice, so that the right value is unknown. */
export function cookieOf(headers: Headers, name: `__Host-${string}`): string | null {
  const values = (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value, ...others] = values
  return value === undefined || value === '' || others.length > 0 ? null : value
}

/**
 * Returns the session secret: the token of the `Authorization` header, or else the cookie.
 * @param cookie null to read only the header
 */
export function credentialIn(headers: Headers, cookie: `__Host-${string}` | null): string | null {
  const authorization = headers.get('authorization')
  if (authorization !== null) return authorization.replace(/^bearer +/i, '')
  return cookie === null ? null : cookieOf(headers, cookie)
}

/** @param secret characters that a cookie accepts unescaped */
export function sessionCookie(name: `__Host-${string}`, secret: string, maxAgeSeconds: number): string {
  return `${name}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=Lax`
}

export function endedCookie(name: `__Host-${string}`): string {
  return sessionCookie(name, '', 0)
}

/** Pages of the session send this token as `x-csrf-token`. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('x-csrf-token').digest('base64url')
}

/**
 * Returns which site caused a request, by the headers `Sec-Fetch-Site` and `Origin`, which no page can set. `unsaid`
 * means that neither header is present. Current browsers always send one of the two with a change.
 *
 * Only the host is compared, because a proxy may end TLS before this server. A page of the same host over plain HTTP is
 * not accepted, because browsers treat it as another site. The port is compared if ports distinguish applications.
 */
export function originOf(headers: Headers): 'own' | 'foreign' | 'unsaid' {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (site === null && origin === null) return 'unsaid'
  if (site !== null && site !== 'same-origin') return 'foreign'
  return origin === null || isOfHost(origin, headers.get('host') ?? '') ? 'own' : 'foreign'
}

/**
 * For a change that is authenticated by a cookie.
 * @throws Failure cross_site_request if no page of this host caused the change
 */
export function assertOwnPage(headers: Headers, secret: string): void {
  if (originOf(headers) !== 'own') {
    throw new Failure('cross_site_request', { reason: 'Origin or Sec-Fetch-Site does not confirm this host' })
  }
  const sent = Buffer.from(headers.get('x-csrf-token') ?? '')
  const right = Buffer.from(csrfTokenOf(secret))
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) {
    throw new Failure('cross_site_request', { reason: 'x-csrf-token does not belong to the session' })
  }
}

function isOfHost(origin: string, host: string): boolean {
  const authority = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  const from = authority === undefined ? null : parseHost(authority)
  const here = parseHost(host)
  if (!from || !here || from.name !== here.name) return false
  return !isLoopback(here.name) || from.port === here.port
}
