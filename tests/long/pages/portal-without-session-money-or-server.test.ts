import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pagesOf } from '../../../tools/web/build.ts'
import { watched } from '../../support/open-browser.ts'
import {
  expectAccessible,
  expectQuiet,
  expectReadable,
  openPages,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import { makeApplication, upstreamModel } from '../../support/start-product.ts'
import {
  addPerson,
  asked,
  callWith,
  gatewayOf,
  heard,
  keyOf,
  microsIn,
  portalPaths,
  settled,
} from '../../pages/portal-page-helpers.ts'

const phone = { viewport: { width: 390, height: 844 } }

let world: PageWorld
beforeAll(async () => {
  // `drainMs: 1` ends a call when its client disconnects.
  world = await openPages({ sampleDays: 2, callsPerDay: 10, limits: { drainMs: 1 } })
})
afterAll(() => world.close())

const inTestMode = () => ({ 'x-svc-app': world.app, 'x-svc-mode': 'test' })

describe('a sign-in link', () => {
  it('a sign-in link signs in once, opens its page, and leaves the address bar before any request', async () => {
    const body = { endUserId: 'grace', returnPath: '/usage?range=7d' }
    const made = await world.call('POST', '/v1/portal-sessions', body, inTestMode())
    const { page, ...seen } = await world.openPortal('/', { isSignedIn: false, ...phone })
    const hashes: string[] = []
    await page.exposeFunction('noteHash', (hash: string) => void hashes.push(hash))
    await page.addInitScript(() => {
      const { fetch } = globalThis
      globalThis.fetch = (...all) => {
        ;(globalThis as unknown as { noteHash: (hash: string) => void }).noteHash(location.href)
        return fetch(...all)
      }
    })
    await page.goto(made.body.url)
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    expect(page.url()).toBe(`${world.portal}/usage?range=7d`)
    expect(hashes.length).toBeGreaterThan(1)
    expect(hashes.join()).not.toContain('ph_')
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(3)

    const other = await world.openPortal('/', { isSignedIn: false, ...phone })
    await other.page.goto('about:blank')
    await other.page.goto(made.body.url)
    await other.page.getByText('This link is no longer valid').waitFor()
    expect(other.page.url()).not.toContain('ph_')
    await expectAccessible(other.page)
    // The browser's log still contains the 401 from the time before the sign-in link was opened.
    expect(seen.faults.filter((fault) => !fault.includes('401'))).toEqual([])
  })

  it('a sign-in link opened in a tab with another portal session signs in its own end user', async () => {
    const { page } = await world.openPortal('/settings', { endUserId: 'grace', ...phone })
    await page.getByText('grace', { exact: true }).waitFor()
    const url = await world.handOff('ada')
    await page.evaluate((to) => (location.hash = new URL(to).hash), url)
    await expect.poll(async () => (await asked(page, '/v1/portal/account')).endUserId).toBe('ada')
    await settled(page)
    expect(page.url()).not.toContain('ph_')
  })
})

describe('without a session', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`the portal without a session shows where to get a link, in ${colorScheme}`, async () => {
      const { page } = await world.openPortal('/usage', { isSignedIn: false, colorScheme, ...phone })
      await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
      await page.getByText(/Sign in to .*Sample month/).waitFor()
      await expectAccessible(page)
    })
  }

  it('if the session has ended, the portal reports this in place of the page', async () => {
    const { page } = await world.openPortal('/', { endUserId: 'grace', ...phone })
    await settled(page)
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Keys' }).first().click()
    await page.getByRole('heading', { name: 'Your session has expired' }).waitFor()
    await expectAccessible(page)
    expect(await page.getByRole('navigation').count()).toBe(0)
  })

  it('after a sign-out, the portal shows no data', async () => {
    const { page, ...seen } = await world.openPortal('/settings', { endUserId: 'grace', ...phone })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await expectQuiet(page, seen)
    await page.goto(`${world.portal}/ledger`)
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  })
})

describe('an end user who may not spend', () => {
  it('an end user who may not spend still sees balance, usage, ledger and keys, and the reason for the rejections', async () => {
    await addPerson(world, { externalId: 'fay', bundle: 'starter', balanceMicros: '500' })
    const key = await keyOf(world, 'fay')
    for (let calls = 0; calls < 30; calls++) {
      // oxlint-disable-next-line no-await-in-loop -- until the money is gone
      if ((await callWith(world, key)) === 402) break
    }
    const { page, ...seen } = await world.openPortal('/', { endUserId: 'fay', ...phone })
    await page.getByText('Your last request was rejected').waitFor()
    await everythingIsThere(page)

    const frozen = await world.call('POST', '/v1/end-users/fay/freeze', {}, inTestMode())
    expect(frozen.status).toBe(200)
    expect(await callWith(world, key)).toBe(403)
    await page.goto(world.portal)
    await page.getByText('Your account is frozen').waitFor()
    await expectAccessible(page)
    await everythingIsThere(page)
    await page.goto(`${world.portal}/limits`)
    await page.getByText('Your account is frozen', { exact: false }).waitFor()
    await expectQuiet(page, seen)
  })

  async function everythingIsThere(
    page: Awaited<ReturnType<PageWorld['openPortal']>>['page'],
  ): Promise<void> {
    const { balance, pace } = await asked(page, '/v1/portal/account')
    await page.goto(world.portal)
    await settled(page)
    expect(await microsIn(page, '[data-balance]')).toEqual([balance.availableMicros])
    expect(await microsIn(page, '[data-pace]')).toEqual([pace.perDayMicros])
    const usage = await asked(page, '/v1/portal/usage')
    await page.goto(`${world.portal}/usage`)
    await settled(page)
    expect(await microsIn(page, '[data-totals]')).toEqual([usage.totals.billedMicros])
    expect(BigInt(usage.totals.billedMicros)).toBeGreaterThan(0n)
    await page.goto(`${world.portal}/ledger`)
    await settled(page)
    expect(await microsIn(page, '[data-sum]')).toEqual([balance.balanceMicros])
    await page.goto(`${world.portal}/keys`)
    await page.getByText('fay', { exact: true }).first().waitFor()
  }
})

it('the portal shows the holds of running calls, and returns the held amounts as the calls end', async () => {
  await addPerson(world, { externalId: 'hal', bundle: 'starter', balanceMicros: '50000' })
  const key = await keyOf(world, 'hal')
  const { page } = await world.openPortal('/', { endUserId: 'hal', ...phone })
  await settled(page)
  const answer = await fetch(`${await gatewayOf(world)}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sample/fast',
      stream: true,
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'Hello [[tokens=400 delay=10s]]' }],
    }),
  })
  await page.reload()
  await page.getByText(/more is held by 1 running request$/).waitFor()
  const { balance } = await asked(page, '/v1/portal/account')
  expect(await microsIn(page, '#content section')).toEqual(
    expect.arrayContaining([balance.availableMicros, balance.heldMicros]),
  )
  await page.getByText('Running').first().waitFor()
  // This disconnects the client. The reference to the response prevents a garbage collection, which would end the call
  // earlier.
  await answer.body?.cancel()
  await expect.poll(async () => (await asked(page, '/v1/portal/account')).balance.heldMicros).toBe('0')
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await page.getByText(/more is held by/).waitFor({ state: 'detached' })
})

describe('a server that fails', () => {
  it('if a part of a page fails, the part shows an error with the request ID, and can be requested again', async () => {
    const { page } = await world.openPortal('/settings', { endUserId: 'grace', ...phone })
    const body = '{"error":{"message":"It broke.","code":"internal_error","type":"x"}}'
    await page.route('**/v1/portal/usage*', (route) =>
      route.fulfill({
        status: 500,
        body,
        headers: {
          'content-type': 'application/json',
          'x-request-id': 'req_broken',
          'x-should-retry': 'false',
        },
      }),
    )
    await page.getByRole('link', { name: 'Home' }).first().click()
    await page.getByText("Your usage couldn't be loaded.").waitFor()
    await page.getByText('req_broken').waitFor()
    expect((await microsIn(page, '[data-balance]')).length).toBe(1)
    await expectAccessible(page)
    await page.unroute('**/v1/portal/usage*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Spend per day', { exact: true }).waitFor()
    expect(await page.getByText("couldn't be loaded").count()).toBe(0)
  })

  it.each([
    [503, 'The server returned an error (HTTP 503). Try again in a minute.'],
    [200, "The server's response can't be read. Try again in a minute."],
  ])(
    'if a proxy responds with status %i and a page instead of the server, the error says what to do',
    async (status, words) => {
      const { page } = await world.openPortal('/settings', { endUserId: 'grace', ...phone })
      const headers = { 'content-type': 'text/html', 'x-should-retry': 'false' }
      await page.route('**/v1/portal/usage*', (route) =>
        route.fulfill({ status, headers, body: '<h1>Service Unavailable</h1>' }),
      )
      await page.getByRole('link', { name: 'Home' }).first().click()
      const alert = page.getByRole('alert')
      await alert.waitFor()
      expect(await alert.locator('p').allTextContents()).toEqual(["Your usage couldn't be loaded.", words])
    },
  )

  it('if a script file of a page is missing, the portal omits its part, and keeps the numbers and the navigation', async () => {
    const { page } = await world.openPortal('/settings', { endUserId: 'grace', ...phone })
    await settled(page)
    await page.route('**/assets/*', (route) => route.abort())
    await page.getByRole('link', { name: 'Keys' }).first().click()
    await page.getByText("This page couldn't be loaded").waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Go to your balance' }).click()
    await settled(page)
    expect((await microsIn(page, '[data-balance]')).length).toBe(1)
    await page.unroute('**/assets/*')
    await page.route('**/assets/*bars*', (route) => route.abort())
    await page.goto(world.portal)
    await page.getByText("The chart couldn't be loaded.").waitFor()
    expect((await microsIn(page, '[data-balance]')).length).toBe(1)
  })

  it('if the portal cannot be opened at first, it offers another attempt, and the sign-in link is not used up', async () => {
    const { page } = await world.openPortal('/', { isSignedIn: false, ...phone })
    await page.route('**/v1/portal-sessions/redeem', (route) => route.abort())
    await page.goto('about:blank')
    await page.goto(await world.handOff('grace'))
    await page.getByText("The portal can't be opened right now").waitFor()
    await expectAccessible(page)
    await page.unroute('**/v1/portal-sessions/redeem')
    await page.getByRole('button', { name: 'Try again' }).click()
    await settled(page)
    expect((await asked(page, '/v1/portal/account')).endUserId).toBe('grace')
  })
})

it('the portal shows the brand, and is readable in any color', async () => {
  const productName = 'Acme & <Söhne>'
  const { page } = await world.openPortal('/keys', { endUserId: 'grace', ...phone })
  for (const primaryColor of ['#ffff00', '#000000', '#7f7f7f']) {
    const set = { productName, primaryColor, supportEmail: 'help@acme.example' }
    // oxlint-disable-next-line no-await-in-loop -- one colour after the other
    expect((await world.call('PATCH', '/v1/brand', set, inTestMode())).status).toBe(200)
    /* oxlint-disable no-await-in-loop -- as above */
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${world.portal}/keys`)
    await settled(page)
    expect(await page.title()).toBe(`Keys · ${productName}`)
    await page.getByRole('link', { name: productName }).waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').waitFor()
    await expectAccessible(page)
    await expectReadable(page, 'dark')
    /* oxlint-enable no-await-in-loop */
  }
  await page.goto(`${world.portal}/settings`)
  expect(await page.getByRole('link', { name: 'help@acme.example' }).getAttribute('href')).toBe(
    'mailto:help@acme.example',
  )
})

it('the portal never shows the provider, its cost to the application, or the earnings', async () => {
  const app = await makeApplication(world.server, {
    bundle: { debitBasis: 'sell_price' },
    rates: { input: 1_234_567_891n, output: 7_654_321_987n },
  })
  try {
    const price = { input: '20000000000', output: '40000000000' }
    await app.api('POST', '/v1/bundles/basic/price', { model: app.model, price })
    const user = await app.newUser({ balanceMicros: 9_000_000_000n })
    expect((await app.call(user, { max_tokens: 50 })).status).toBe(200)
    expect((await app.call(user, { model: 'acme/none' })).status).toBeGreaterThanOrEqual(400)
    const [{ data }, { url }] = await Promise.all([
      app.api('GET', '/v1/requests'),
      app.api('POST', '/v1/portal-sessions', { endUserId: user.externalId }),
    ])
    const whole = await app.api('GET', `/v1/requests/${data.at(-1).id}`)
    const context = await world.newContext(phone)
    const said = heard(context)
    const { page } = await watched(await context.newPage(), new URL(url).origin)
    await page.goto(url)
    await settled(page)
    const origin = new URL(page.url()).origin
    const shown: string[] = []
    // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
    const receipts = data.map((call: any) => `/activity/${call.id}`)
    for (const path of [...portalPaths, ...receipts]) {
      await page.goto(origin + path)
      await settled(page)
      shown.push(await page.content())
    }
    const all = `${await said.texts()}\n${shown.join('\n')}`
    expect([all.includes(app.model), all.includes('$40,000.00')]).toEqual([true, true])
    for (const secret of [
      upstreamModel,
      'openai_compatible',
      whole.costMicros,
      '1234567891',
      '7654321987',
      '$1,234.567891',
      '$7,654.321987',
      app.provider.baseUrl,
      'costMicros',
      'marginMicros',
      'providerModel',
      whole.attempts?.[0]?.account,
    ]) {
      expect(secret).toBeTruthy()
      const word = new RegExp(`(?<!\\w)${RegExp.escape(String(secret))}(?!\\w)`)
      expect([secret, word.test(all)]).toEqual([secret, false])
    }
    expect(/\bpa_[0-9a-z]{10}/.test(all)).toBe(false)
  } finally {
    await app.provider.close()
  }
})

it('the portal loads at most 90 KB of compressed script before its first number, and little more for its chart', async () => {
  const { page } = await world.openPortal('/settings', { endUserId: 'grace', ...phone })
  await settled(page)
  const loaded: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') loaded.push(new URL(request.url()).pathname)
  })
  const client = await page.context().newCDPSession(page)
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.goto(world.portal)
  await settled(page)
  await page.getByText('Spend per day', { exact: true }).waitFor()
  const folder = await pagesOf('test')
  const sizeOf = (path: string): number => gzipSync(readFileSync(`${folder}${path}`), { level: 9 }).length
  const html = readFileSync(`${folder}/portal.html`, 'utf8')
  const first = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path)
  const sum = (paths: Iterable<string>): number => [...paths].reduce((all, path) => all + sizeOf(path), 0)
  const sizes = { first: sum(first), home: sum(new Set(loaded)) }
  console.log(`the portal's first load: ${sizes.first} bytes of gzipped script, ${sizes.home} with its chart`)
  expect(loaded).toEqual(expect.arrayContaining(first))
  expect(sizes.first).toBeLessThanOrEqual(90_000)
  expect(sizes.home).toBeLessThanOrEqual(97_500)
  const own = loaded.map((path) => readFileSync(`${folder}${path}`, 'utf8')).join('\n')
  expect(own).not.toMatch(/tanstack|base-ui|recharts/i)
  expect(readdirSync(`${folder}/assets`).length).toBeGreaterThan(loaded.length)
})
