import { etagOf } from '#http/etags-and-preconditions.ts'

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
 * Scripts, styles and fonts must be files of this host, and inline code is blocked. A name that a customer chose can
 * therefore never run as a script (docs/reference/threats.md "Names that contain markup"). "Trusted types" also prevent
 * scripts from turning text into HTML elements. The page contains no private data, so browsers may cache it, but must
 * check each time whether it has changed.
 *
 * @param connect origins to which scripts may send requests, in addition to the page's own origin
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
      // Pages use `blob:` URLs for a selected logo that is not uploaded yet, and for images that they create for
      // downloads.
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

export function pageAnswer(html: string, { headers }: Request, connect: readonly string[]): Response {
  const etag = etagOf(html)
  const own = { ...pageHeaders(connect), etag }
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: own })
  return new Response(html, { headers: own })
}

export function goneAnswer(html: string): Response {
  return new Response(html, { status: 410, headers: pageHeaders([]) })
}

/**
 * Whether a person opens the path in a browser. Programs that accept any type get the API's response. At `/`, every
 * client gets the page, because the API has no such path.
 */
export function isNavigation({ headers, method }: Request, pathname: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return pathname === '/' || isForBrowser(headers)
}

export function isForBrowser(headers: Headers): boolean {
  return /\btext\/html\b/i.test(headers.get('accept') ?? '')
}
