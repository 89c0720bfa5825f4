import { etagOf } from '#http/preconditions.ts'

/** Browser features that no page uses. */
const unused = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
]

/**
 * Returns the headers of a page. Scripts, styles and fonts are files of this host, and none is inline, so a name that a
 * customer chose can never run as a script (docs/reference/threats.md "Names are text"). Trusted types also prevent
 * scripts from turning text into elements. The page contains no private data, so it may be stored, but browsers must
 * revalidate it each time.
 *
 * @param connect origins that its scripts may call in addition to their own
 */
function pageHeaders(connect: readonly string[]): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      ['connect-src', "'self'", ...connect].join(' '),
      // A selected logo that is not uploaded yet is a blob, as is an image that a page draws for a download.
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': unused.map((feature) => `${feature}=()`).join(', '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    // For browsers that do not support frame-ancestors.
    'x-frame-options': 'DENY',
  }
}

/** Returns the page, or 304 to a browser that has the current version. */
export function pageAnswer(html: string, { headers }: Request, connect: readonly string[]): Response {
  const etag = etagOf(html)
  const own = { ...pageHeaders(connect), etag }
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: own })
  return new Response(html, { headers: own })
}

/** Returns a page with the status for content that is no longer served. */
export function goneAnswer(html: string): Response {
  return new Response(html, { status: 410, headers: pageHeaders([]) })
}

/**
 * Returns whether a person opens the path in a browser. A program that accepts any type gets the API's response. `/` is
 * a page for every client, since the API has no such path.
 */
export function isNavigation({ headers, method }: Request, pathname: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return pathname === '/' || isForBrowser(headers)
}

/** Returns whether the client explicitly accepts a page. */
export function isForBrowser(headers: Headers): boolean {
  return /\btext\/html\b/i.test(headers.get('accept') ?? '')
}
