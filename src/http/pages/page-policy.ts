import { etagOf } from '#http/preconditions.ts'

/** What no page of ours asks of a browser. */
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
 * Headers of a page. Scripts, styles and fonts are files of this host, and none stands in the page itself, so a name
 * that a customer chose can be no script, whatever it holds (docs/reference/threats.md "Names are text"). Text is
 * never made into elements by a script either (trusted types). The page holds no data of anyone: it may be stored,
 * and is asked for again each time.
 *
 * @param connect origins that its scripts may call besides their own
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
      // A logo that was chosen and not yet sent is a blob, and so is what a page draws for a download.
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
    // For browsers that do not know frame-ancestors.
    'x-frame-options': 'DENY',
  }
}

/** A page as it is, or 304 to a browser that has it. */
export function pageAnswer(html: string, { headers }: Request, connect: readonly string[]): Response {
  const etag = etagOf(html)
  const own = { ...pageHeaders(connect), etag }
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: own })
  return new Response(html, { headers: own })
}

/** A page in place of what is not served any more. */
export function goneAnswer(html: string): Response {
  return new Response(html, { status: 410, headers: pageHeaders([]) })
}

/**
 * True for what a person opens in a browser: a program that takes anything gets the answer of the API.
 * `/` is a page for everybody, since nothing else is there.
 */
export function isNavigation({ headers, method }: Request, pathname: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return pathname === '/' || isForBrowser(headers)
}

/** Whether a page is asked for, and not just anything. */
export function isForBrowser(headers: Headers): boolean {
  return /\btext\/html\b/i.test(headers.get('accept') ?? '')
}
