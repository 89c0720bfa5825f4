/** The portal shows neither a wrong state nor the data of another filter while responses fail or are lost. */
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, openPages, type PageWorld } from '../../support/start-page-tests.ts'
import { addPerson, asked, callWith, keyOf, settled } from '../../pages/portal-page-helpers.ts'

const phone = { viewport: { width: 390, height: 844 } }

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
})
afterAll(() => world.close())

const overloaded = (route: Route) =>
  route.fulfill({
    status: 503,
    headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
    body: '{"error":{"message":"The server is overloaded.","code":"overloaded","type":"x"}}',
  })
const isOn = (page: Page) =>
  page.getByRole('switch', { name: 'On-demand billing' }).getAttribute('aria-checked')
const isOnAtServer = async (page: Page): Promise<boolean> =>
  (await asked(page, '/v1/portal/account')).onDemand.enabled

describe('on-demand billing', () => {
  async function openOn(externalId: string): Promise<Page> {
    await addPerson(world, { externalId, bundle: 'starter', balanceMicros: '5000' })
    const body = { endUserId: externalId, enabled: true, limitMicros: '5000000' }
    const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
    expect((await world.call('POST', '/v1/subscription/on-demand', body, headers)).status).toBe(200)
    const { page } = await world.openPortal('/limits', { endUserId: externalId, ...phone })
    await settled(page)
    return page
  }

  it('a change that was saved is not reported as failed if the account can not be loaded afterwards', async () => {
    const page = await openOn('saved')
    let failures = 0
    await page.route('**/v1/portal/account', (route) =>
      failures++ < 1 ? overloaded(route) : route.fallback(),
    )
    await page.getByRole('switch', { name: 'On-demand billing' }).click()
    await page.getByText('On-demand billing is off. Requests in progress will finish.').waitFor()
    await expect.poll(() => isOn(page)).toBe('false')
    expect(await page.getByText("The on-demand setting couldn't be changed.").count()).toBe(0)
    expect(await isOnAtServer(page)).toBe(false)
  })

  it('if Undo fails after another page was opened, the failure is reported and Undo can be repeated', async () => {
    const page = await openOn('undoes')
    await page.getByRole('switch', { name: 'On-demand billing' }).click()
    await page.getByText('On-demand billing is off.').first().waitFor()
    await page.getByRole('link', { name: 'Usage' }).last().click()
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    await page.route('**/v1/portal/on-demand', overloaded)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText("The change couldn't be undone.").waitFor()
    expect(await isOnAtServer(page)).toBe(false)
    await page.unroute('**/v1/portal/on-demand')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone. Your previous on-demand setting is restored.').waitFor()
    expect(await isOnAtServer(page)).toBe(true)
  })
})

describe('a filter', () => {
  it('shows no requests of another filter if its own can not be loaded', async () => {
    await addPerson(world, { externalId: 'filters', bundle: 'starter', balanceMicros: '5000' })
    expect(await callWith(world, await keyOf(world, 'filters'))).toBe(200)
    const { page } = await world.openPortal('/activity', { endUserId: 'filters', ...phone })
    await page.getByRole('list', { name: 'Requests' }).waitFor()
    await page.route('**/v1/portal/requests?*status=refused*', overloaded)
    await page.getByLabel('Status').selectOption('refused')
    await page.getByText("Your requests couldn't be loaded.").waitFor()
    expect(await page.getByRole('list', { name: 'Requests' }).count()).toBe(0)
    await expectAccessible(page)
    await page.unroute('**/v1/portal/requests?*status=refused*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No requests match these filters.').waitFor()
  })

  it('does not show the error of more rows of another filter', async () => {
    await addPerson(world, { externalId: 'pages', bundle: 'starter', balanceMicros: '5000000' })
    const key = await keyOf(world, 'pages')
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let calls = 0; calls < 55; calls++) expect(await callWith(world, key)).toBe(200)
    const { page } = await world.openPortal('/activity', { endUserId: 'pages', ...phone })
    await page.route('**/v1/portal/requests?*cursor=*', overloaded)
    await page.getByRole('button', { name: 'Show more requests' }).click()
    await page.getByText("More requests couldn't be loaded.").waitFor()
    await page.getByLabel('Status').selectOption('settled')
    await page.getByRole('button', { name: 'Show more requests' }).waitFor()
    expect(await page.getByText("More requests couldn't be loaded.").count()).toBe(0)
  })
})

it('a sign-out after the end of the session reports that the session has ended', async () => {
  const { page } = await world.openPortal('/settings', { endUserId: 'ada', ...phone })
  await settled(page)
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Your session has expired' }).waitFor()
})

it('if the response with the secret of a new key is lost, another attempt creates no second key unnoticed', async () => {
  await addPerson(world, { externalId: 'loses', bundle: 'starter', balanceMicros: '5000' })
  const { page } = await world.openPortal('/keys?act=new', { endUserId: 'loses', ...phone })
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('laptop')
  let isLost = true
  await page.route('**/v1/portal/keys', async (route) => {
    const request = route.request()
    const headers = await request.allHeaders()
    if (request.method() === 'GET' || !isLost || headers['x-same']) return route.fallback()
    // The server gets the request, but the portal does not get the response.
    await page.evaluate(
      async ([url, body, sent]) => void (await fetch(url, { method: 'POST', body, headers: sent })),
      [request.url(), request.postData() ?? '', { ...headers, 'x-same': '1' }] as const,
    )
    await route.abort()
  })
  const create = dialog.getByRole('button', { name: 'Create key laptop' })
  await create.click()
  await dialog.getByText("The server can't be reached.").waitFor()
  isLost = false
  await create.click()
  await dialog.getByText('An earlier attempt was saved, but its response was lost.').waitFor()
  expect((await asked(page, '/v1/portal/keys')).data.length).toBe(1)
  await create.click()
  await page.getByText("You won't be able to see it again").waitFor()
  expect((await asked(page, '/v1/portal/keys')).data.length).toBe(2)
})

describe('a new key that the end user has not confirmed as saved', () => {
  async function newKey(
    endUserId: string,
    during: (route: Route) => Promise<void> = (route) => route.fallback(),
  ): Promise<Page> {
    await addPerson(world, { externalId: endUserId, bundle: 'starter', balanceMicros: '5000' })
    const { page } = await world.openPortal('/keys?act=new', { endUserId, ...phone })
    await page.getByRole('dialog').getByLabel('Name').fill('laptop')
    await page.route('**/v1/portal/**', during)
    await page.getByRole('button', { name: 'Create key laptop' }).click()
    await page.locator('[data-secret]').waitFor()
    return page
  }
  const hint = 'You left the page before you confirmed that this key is saved.'

  it('is shown until the end user has saved it, even if the session ends', async () => {
    let ended = 0
    // The page loads its data again after the key was created.
    const page = await newKey('ends', async (route) => {
      if (route.request().method() === 'POST') return route.fallback()
      ended++
      await route.fulfill({
        status: 401,
        headers: { 'content-type': 'application/json' },
        body: '{"error":{"message":"The session has ended.","code":"portal_session_required","type":"x"}}',
      })
    })
    await expect.poll(() => ended).toBeGreaterThan(0)
    await page.waitForLoadState('networkidle')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    expect(await page.locator('[data-secret]').textContent()).toMatch(/^ak_[a-z0-9]+_\w+$/i)
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('heading', { name: 'Your session has expired' }).waitFor()
  })

  it('is marked in the list of keys after a reload, until it is replaced', async () => {
    const page = await newKey('reloads')
    await page.reload()
    await page.getByText(hint).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Replace laptop' }).click()
    await page.getByRole('button', { name: 'Replace key' }).click()
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByText('replaced, expires').waitFor()
    expect(await page.getByText(hint).count()).toBe(0)
    await page.reload()
    await page.getByText('replaced, expires').waitFor()
    expect(await page.getByText(hint).count()).toBe(0)
  })
})

it("if the browser's clock is ahead, a key that still works is not shown as replaced", async () => {
  await addPerson(world, { externalId: 'early', bundle: 'starter', balanceMicros: '5000' })
  await keyOf(world, 'early', 'rotated')
  const { page } = await world.openPortal('/settings', { endUserId: 'early', ...phone })
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const [{ id }] = (await asked(page, '/v1/portal/keys')).data
  const body = { graceSeconds: 7200 }
  expect((await world.call('POST', `/v1/keys/${id}/rotate`, body, headers)).status).toBe(200)
  // The test clock of the sample application is a month ahead.
  await page.clock.install({ time: Date.now() + 90 * 24 * 3_600_000 })
  await page.goto(`${world.portal}/keys`)
  await page.getByText('replaced, expires in 2 h').waitFor()
})
