/**
 * What a browser's session needs besides a store: its cookie, and the proof that a change comes from a page of
 * the same host (docs/reference/threats.md "Changes by cookie").
 *
 * The secret of a session stands in a `__Host-` cookie, which a browser keeps to the very host that set it and
 * shows to no script. A browser sends it with every request to that host, whoever caused the request; so a
 * change also needs an origin of this host and a token that only its pages can read: an HMAC of the secret,
 * which needs no place in the store and is worth nothing with another session.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Failure } from '#domain/errors.ts'
import { isLoopback, parseHost } from '#domain/network/host-surfaces.ts'

/** The value of a cookie; null: there is none, or there are two and neither can be preferred. */
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
 * The secret that a request presents, as it was sent: its `Authorization` header, or the cookie of a session.
 * @param cookie null: only the header counts
 */
export function credentialIn(headers: Headers, cookie: `__Host-${string}` | null): string | null {
  return headers.get('authorization') ?? (cookie === null ? null : cookieOf(headers, cookie))
}

/**
 * The `set-cookie` header that gives a browser its session.
 * @param secret of characters that a cookie takes as they are
 */
export function sessionCookie(name: `__Host-${string}`, secret: string, maxAgeSeconds: number): string {
  return `${name}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=Lax`
}

/** The `set-cookie` header that takes it away. */
export function endedCookie(name: `__Host-${string}`): string {
  return sessionCookie(name, '', 0)
}

/** What a page of the session sends as `x-csrf-token`. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('x-csrf-token').digest('base64url')
}

/**
 * Where a request was caused, as the browser says: `Sec-Fetch-Site` and `Origin` are headers that no page can
 * set. `unsaid`: neither is there, so it was no browser of today that changes something.
 *
 * Only the host is compared: TLS may end before this server, and a page of the same host over plain HTTP is
 * another site for a browser. Its port counts where ports tell applications apart.
 */
export function originOf(headers: Headers): 'own' | 'foreign' | 'unsaid' {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (site === null && origin === null) return 'unsaid'
  if (site !== null && site !== 'same-origin') return 'foreign'
  return origin === null || isOfHost(origin, headers.get('host') ?? '') ? 'own' : 'foreign'
}

/**
 * Lets a change through that was made with a cookie.
 * @param secret of the session
 * @throws Failure cross_site_request
 */
export function assertOwnPage(headers: Headers, secret: string): void {
  if (originOf(headers) !== 'own') {
    throw new Failure('cross_site_request', { reason: 'Origin or Sec-Fetch-Site does not say so' })
  }
  const sent = Buffer.from(headers.get('x-csrf-token') ?? '')
  const right = Buffer.from(csrfTokenOf(secret))
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) {
    throw new Failure('cross_site_request', { reason: 'x-csrf-token is not that of the session' })
  }
}

function isOfHost(origin: string, host: string): boolean {
  const authority = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  const from = authority === undefined ? null : parseHost(authority)
  const here = parseHost(host)
  if (!from || !here || from.name !== here.name) return false
  return !isLoopback(here.name) || from.port === here.port
}
