/**
 * The pages that `tools/web` has built: two documents and the files that they load. All files are read together on the
 * first request, so that a process never mixes two builds. The files are compressed at build time.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'

/** The folder of the pages in a checkout. In the package, the pages are next to the code. */
const defaultFolder = new URL('../../../dist/web/', import.meta.url)

export type PageName = 'console' | 'portal' | 'ui'

export interface BuiltPages {
  html(name: PageName): string | null
  asset(pathname: string, acceptEncoding: string): Response | null
}

interface Asset {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null if the file format is already compressed. */
  readonly brotli: Uint8Array<ArrayBuffer> | null
}

interface Build {
  readonly html: ReadonlyMap<string, string>
  readonly assets: ReadonlyMap<string, Asset>
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

export function builtPages(folder: URL = defaultFolder): BuiltPages {
  let read: Build | null = null
  let readAtMs = 0
  // If no build was found, look again on each request. In a checkout, `npm start` builds the pages while its server
  // runs.
  const build = (): Build | null => (read ??= readBuild(folder))
  return {
    html(name) {
      const builtAtMs = statSync(new URL('build.json', folder), { throwIfNoEntry: false })?.mtimeMs ?? 0
      if (builtAtMs !== readAtMs) {
        readAtMs = builtAtMs
        read = null
      }
      return build()?.html.get(name) ?? null
    },
    asset(pathname, acceptEncoding) {
      const asset = build()?.assets.get(pathname)
      if (asset === undefined) return null
      const isPacked = asset.brotli !== null && /\bbr\b/.test(acceptEncoding)
      return new Response(isPacked ? asset.brotli : asset.bytes, {
        headers: {
          'content-type': asset.type,
          ...(isPacked && { 'content-encoding': 'br' }),
          ...(asset.brotli !== null && { vary: 'accept-encoding' }),
          // The file name contains a hash of the content.
          'cache-control': 'public, max-age=31536000, immutable',
          'cross-origin-resource-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
        },
      })
    },
  }
}

function readBuild(folder: URL): Build | null {
  const within = new URL('assets/', folder)
  if (!existsSync(within)) return null
  const names = readdirSync(within)
  const read = (name: string): Uint8Array<ArrayBuffer> => Uint8Array.from(readFileSync(new URL(name, within)))
  const assets = names
    .filter((name) => !name.endsWith('.br'))
    .map((name): [string, Asset] => {
      const type = types[extname(name)]
      if (type === undefined)
        throw new Error(`dist/web contains a file of a type that is not served: ${name}`)
      const brotli = names.includes(`${name}.br`) ? read(`${name}.br`) : null
      return [`/assets/${name}`, { type, bytes: read(name), brotli }]
    })
  const html = readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .map((name): [string, string] => [name.slice(0, -5), readFileSync(new URL(name, folder), 'utf8')])
  return { assets: new Map(assets), html: new Map(html) }
}
