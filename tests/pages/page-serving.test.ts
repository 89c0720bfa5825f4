import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pagesOf } from '../../tools/web/build.ts'
import { openBrowser, watched } from '../support/open-browser.ts'
import { startServer, type LocalServer } from '../support/start-product.ts'
import { expectAccessible } from '../support/start-page-tests.ts'

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
let server: LocalServer
let portalHost: string

beforeAll(async () => {
  server = await startServer({ pagesFolder: pathToFileURL(`${await pagesOf('test')}/`) })
  const made = await fetch(`${server.baseUrl}/v1/apps/acme`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Acme <b>' }),
  })
  portalHost = new URL(((await made.json()) as { localPortal: string }).localPortal).host
})
afterAll(() => server.close())

/** Does not follow redirects. */
const get = (path: string, headers: Record<string, string> = html, host?: string, method = 'GET') =>
  fetch(host === undefined ? server.baseUrl + path : `http://${host}${path}`, {
    headers,
    method,
    redirect: 'manual',
  })

describe('the host of the control plane', () => {
  it('the host of the control plane returns the console page for every address that a person opens', async () => {
    for (const path of [
      '/',
      '/setup',
      '/invite',
      '/sign-in',
      '/device?code=AAAA-BBBB',
      '/requests/req_01',
      '/a/b/c',
    ]) {
      const answer = await get(path)
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await answer.text()).toContain('/assets/console-')
    }
    expect((await get('/ui')).status).toBe(200)
    expect((await get('/setup', html, undefined, 'HEAD')).status).toBe(200)
  })

  it('the host of the control plane returns API errors to programs, and no page', async () => {
    for (const path of ['/setup', '/requests/req_01', '/nothing', '/assets/none.js']) {
      const answer = await get(path, { accept: '*/*' })
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.json()).toMatchObject({ error: { code: 'no_such_path' } })
    }
    // Browsers show the API's response at these addresses.
    for (const path of ['/v1/nothing', '/v1/tenant', '/metrics', '/readyz', '/healthz', '/brand/logo/none']) {
      const answer = await get(path)
      expect([path, answer.headers.get('content-type')?.split(';')[0]]).not.toEqual([path, 'text/html'])
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect((await get('/setup', html, undefined, method)).status, method).toBe(404)
    }
  })

  it('the console page has a content security policy without exceptions, sets no cookie, and forbids referrers', async () => {
    const { headers } = await get('/')
    const policy = headers.get('content-security-policy') ?? ''
    const rules = Object.fromEntries(policy.split('; ').map((rule) => [rule.split(' ')[0], rule]))
    expect(rules['default-src']).toBe("default-src 'none'")
    expect(rules['script-src']).toBe("script-src 'self'")
    expect(rules['style-src']).toBe("style-src 'self'")
    expect(rules['connect-src']).toBe(
      `connect-src 'self' http://*.gateway.localhost:${server.port} http://127.0.0.1:*`,
    )
    expect(rules['frame-ancestors']).toBe("frame-ancestors 'none'")
    expect(rules['form-action']).toBe("form-action 'none'")
    expect(rules['base-uri']).toBe("base-uri 'none'")
    expect(rules['require-trusted-types-for']).toBe("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|\*(?!\.gateway|(?:;|$))(?!$)\s/)
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('set-cookie')).toBe(null)
  })

  it('a browser can check whether the console page has changed', async () => {
    const first = await get('/')
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const again = await get('/bundles', { ...html, 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })
})

describe('the host of a portal', () => {
  it('the host of a portal returns its page, with the application’s name as text in the title', async () => {
    for (const path of ['/', '/keys', '/requests/req_01', '/redeem']) {
      const answer = await get(path, html, portalHost)
      expect([path, answer.status]).toEqual([path, 200])
      const text = await answer.text()
      expect(text).toContain('/assets/portal-')
      expect(text).toContain('<title>Acme &#60;b&#62;</title>')
      expect(answer.headers.get('content-security-policy')).toContain("connect-src 'self';")
    }
  })

  it('the host of a portal returns an error to programs, and never returns a page of the console', async () => {
    expect((await get('/keys', { accept: '*/*' }, portalHost)).status).toBe(404)
    expect((await get('/v1/tenant', html, portalHost)).status).toBe(404)
    expect(await (await get('/ui', html, portalHost)).text()).toContain('/assets/portal-')
  })

  it('the host of a portal returns the brand as a stylesheet and an icon, which a browser keeps until the brand changes', async () => {
    const text = await (await get('/', html, portalHost)).text()
    for (const [pattern, type] of [
      [/\/brand\.css\?v=\w+/, 'text/css'],
      [/\/favicon\.ico\?v=\w+/, 'image/svg+xml'],
    ] as const) {
      const [path = ''] = pattern.exec(text) ?? []
      const answer = await get(path, {}, portalHost)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
      expect(answer.headers.get('cache-control')).toContain('immutable')
      const unversioned = await get(path.replace(/\?.*/, ''), {}, portalHost)
      expect(unversioned.headers.get('cache-control')).toBe('no-cache')
    }
  })
})

describe('the host of a portal whose application is archived', () => {
  const name = 'Gone <script>alert(1)</script>'
  let host: string
  const control = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(server.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        'x-svc-app': 'gone',
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  beforeAll(async () => {
    const made = await control('PUT', '/v1/apps/gone', { name: 'Gone' })
    host = new URL(((await made.json()) as { localPortal: string }).localPortal).host
    const brand = { productName: name, primaryColor: '#2563eb', supportEmail: 'help@example.com' }
    assert.equal((await control('PATCH', '/v1/brand', brand)).status, 200)
    assert.equal((await control('DELETE', '/v1/apps/gone')).status, 200)
  })

  it('the portal of an archived application shows people a page with the brand, and programs an error', async () => {
    for (const path of ['/', '/keys']) {
      const answer = await get(path, html, host)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        410,
        'text/html; charset=utf-8',
      ])
      const text = await answer.text()
      expect(text).toContain('This portal is closed')
      expect(text).not.toContain('<script')
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
      const head = await get(path, html, host, 'HEAD')
      expect([head.status, await head.text()]).toEqual([410, ''])
    }
    for (const [path, accept, method] of [
      ['/', '*/*', 'GET'],
      ['/', 'application/json', 'GET'],
      ['/v1/portal/account', html.accept, 'GET'],
      ['/keys', html.accept, 'POST'],
    ] as const) {
      const answer = await get(path, { accept }, host, method)
      expect([path, accept, answer.status]).toEqual([path, accept, 410])
      expect(await answer.json()).toMatchObject({ error: { code: 'application_archived' } })
    }
  })

  it('the page of an archived portal is readable in both themes, with the support contact', async () => {
    const browser = await openBrowser()
    try {
      for (const colorScheme of ['light', 'dark'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- a theme after the other
        const context = await browser.newContext({ colorScheme, viewport: { width: 320, height: 700 } })
        // oxlint-disable-next-line no-await-in-loop -- as above
        const { foreignRequests, page } = await watched(await context.newPage(), `http://${host}`)
        // oxlint-disable-next-line no-await-in-loop -- as above
        await page.goto(`http://${host}/keys`)
        // oxlint-disable-next-line no-await-in-loop -- as above
        const [title, help, mark, width] = await page.evaluate(() => [
          document.title,
          document.querySelector('a')?.href,
          getComputedStyle(document.querySelector('.mark') ?? document.body).backgroundColor,
          document.documentElement.scrollWidth,
        ])
        expect([title, help, width]).toEqual([name, 'mailto:help@example.com', 320])
        expect(mark).toBe('rgb(37, 99, 235)')
        // oxlint-disable-next-line no-await-in-loop -- as above
        await expectAccessible(page)
        expect(foreignRequests).toEqual([])
      }
    } finally {
      await browser.close()
    }
  })
})

describe('the files that pages load', () => {
  it('page files are cached permanently, compressed for clients that accept compression, and the same on both hosts', async () => {
    const text = await (await get('/')).text()
    const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).toBeGreaterThan(1)
    for (const path of paths) {
      const plain = await get(path, { 'accept-encoding': 'identity' })
      const packed = await get(path, { 'accept-encoding': 'gzip, br' }, portalHost)
      for (const answer of [plain, packed]) {
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect(answer.headers.get('vary')).toBe('accept-encoding')
        expect(answer.headers.get('content-type')).toMatch(/^text\/(?:javascript|css); charset=utf-8$/)
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      }
      expect(packed.headers.get('content-encoding')).toBe('br')
      expect(plain.headers.get('content-encoding')).toBe(null)
      expect(await packed.text()).toBe(await plain.text())
    }
  })

  it('font files are already compressed, so the server returns them unchanged', async () => {
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(await (await get('/')).text())?.[1] ?? ''
    const [font = ''] = /\/assets\/[\w-]+\.woff2/.exec(await (await get(style)).text()) ?? []
    const answer = await get(font, { 'accept-encoding': 'br' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'font/woff2'])
    expect([answer.headers.get('vary'), answer.headers.get('content-encoding')]).toEqual([null, null])
  })

  it('the server returns only the built files', async () => {
    for (const path of [
      '/assets/../console.html',
      '/assets/..%2fbuild.json',
      '/assets/%2e%2e/build.json',
      '/assets/',
      '/build.json',
    ]) {
      expect([path, await rawStatus(path)]).toEqual([path, 404])
    }
  })
})

/** Sends the path unchanged, because `fetch` would resolve the dots in the path. */
function rawStatus(path: string): Promise<number> {
  const { promise, reject, resolve } = Promise.withResolvers<number>()
  request({ host: '127.0.0.1', port: server.port, path }, (answer) => {
    answer.resume()
    resolve(answer.statusCode ?? 0)
  })
    .on('error', reject)
    .end()
  return promise
}

describe('a checkout without a build', () => {
  it('a checkout without a build serves its API, names the build command, and serves the pages as soon as they are built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-pages-'))
    const bare = await startServer({ pagesFolder: pathToFileURL(`${folder}/web/`) })
    try {
      const answer = await fetch(bare.baseUrl, { headers: html })
      expect(answer.status).toBe(503)
      expect(await answer.text()).toContain('node tools/web/main.ts')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect((await fetch(`${bare.baseUrl}/healthz`)).status).toBe(200)
      mkdirSync(join(folder, 'web/assets'), { recursive: true })
      writeFileSync(join(folder, 'web/console.html'), 'built')
      expect(await (await fetch(bare.baseUrl, { headers: html })).text()).toBe('built')
    } finally {
      await bare.close()
      rmSync(folder, { recursive: true })
    }
  })
})
