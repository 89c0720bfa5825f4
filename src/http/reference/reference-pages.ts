/**
 * The API reference at `/reference`: Scalar's page for `/v1/openapi.json` (vendor/scalar). The page loads nothing from
 * other hosts, and its content security policy blocks requests to them.
 */
import { readFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { sha256 } from '#domain/secrets/sha256.ts'
import { errorPageHtml, errorPagePath } from './error-page.ts'

const bundleUrl = new URL('../../../vendor/scalar/standalone.js', import.meta.url)
const startUrl = new URL('./start-reference.js', import.meta.url)

/**
 * Allows only scripts and connections of this host. Scalar sets inline styles, and a policy cannot allow only some of
 * them.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface StaticFile {
  readonly type: string
  readonly bytes: Uint8Array
  readonly brotli: Uint8Array
}

/** All servers of a process share these files. Reading and hashing the bundle of 4 MB takes 10 ms of CPU time. */
const reference = once(() => {
  // A name with a hash of the content lets browsers cache the file permanently.
  const names = { bundle: hashedName(bundleUrl, 'scalar'), start: hashedName(startUrl, 'start') }
  const files = new Map<string, () => StaticFile>([
    [errorPagePath, once(() => fileOf('text/html', Buffer.from(errorPageHtml())))],
    [names.bundle, once(() => fileOf('text/javascript', readFileSync(bundleUrl)))],
    [names.start, once(() => fileOf('text/javascript', readFileSync(startUrl)))],
  ])
  return { files, page: fileOf('text/html', Buffer.from(pageHtml(names))) }
})

export function referencePages(): (path: string, acceptEncoding: string) => Response | null {
  const { files, page } = reference()
  return (path, acceptEncoding) => {
    const isPage = path === '/reference' || path === '/reference/'
    const file = isPage ? page : files.get(path)?.()
    if (file === undefined) return null
    const takesBrotli = /\bbr\b/.test(acceptEncoding)
    return new Response(Buffer.from(takesBrotli ? file.brotli : file.bytes), {
      headers: {
        'content-type': `${file.type}; charset=utf-8`,
        ...(takesBrotli && { 'content-encoding': 'br' }),
        vary: 'accept-encoding',
        'cache-control':
          isPage || path === errorPagePath ? 'no-cache' : 'public, max-age=31536000, immutable',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    })
  }
}

function pageHtml({ bundle, start }: { readonly bundle: string; readonly start: string }): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tollgate API reference</title>
    <link rel="icon" href="/favicon.ico">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The OpenAPI document is at /v1/openapi.json.</noscript>
    <script src="${bundle}"></script>
    <script src="${start}"></script>
  </body>
</html>
`
}

function fileOf(type: string, bytes: Uint8Array): StaticFile {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
  return { type, bytes, brotli: brotliCompressSync(bytes, { params }) }
}

function hashedName(url: URL, name: string): string {
  return `/reference/${name}-${sha256(readFileSync(url)).slice(0, 16)}.js`
}

function once<T>(make: () => T): () => T {
  let made: T | null = null
  return () => (made ??= make())
}
