/** Pages of an application with many keys, bundles and end users show all of them, or state how many are missing. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectAccessible, openPages, shown, type PageWorld } from '../../support/start-page-tests.ts'
import { addPerson, callWith, keyOf, settled } from '../../pages/portal-page-helpers.ts'

const phone = { viewport: { width: 320, height: 800 } }
const keysCount = 300

let world: PageWorld
let firstKey: string
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
  await addPerson(world, { externalId: 'many', bundle: 'starter', balanceMicros: '5000000' })
  firstKey = await keyOf(world, 'many', 'oldest key')
  await each(keysCount, async (at) => {
    const body = {
      endUserId: 'many',
      name: `key ${at}`,
      livemode: false,
      capMicros: String(1_000_000 + at),
      limits: [{ measure: 'requests', window: 'minute', most: '60' }],
    }
    await done('POST', '/v1/keys', body)
  })
  await each(205, (at) => done('PUT', `/v1/bundles/plan-${at}`, { displayName: `Plan ${at}` }))
})
afterAll(() => world.close())

const scope = () => `app=${world.app}&mode=test`

async function done(method: string, path: string, body: object): Promise<void> {
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const { status, text } = await world.call(method, path, body, headers)
  expect([status < 300, text]).toEqual([true, text])
}

async function each(count: number, make: (at: number) => Promise<void>): Promise<void> {
  const left = Array.from({ length: count }, (_, at) => at).values()
  const worker = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- few requests at a time
    for (const at of left) await make(at)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

it('the limits page of the portal lists the caps of all keys, page by page', async () => {
  const { page } = await world.openPortal('/limits', { endUserId: 'many', ...phone })
  await settled(page)
  const caps = page.getByRole('list', { name: 'Key caps' })
  const more = page.getByRole('button', { name: 'Show more keys' })
  for (let shownKeys = 50; shownKeys <= keysCount; shownKeys += 50) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    await expect.poll(() => caps.getByRole('listitem').count()).toBe(shownKeys)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await more.click()
  }
  await caps.getByText('oldest key').waitFor()
  expect(await more.count()).toBe(0)
})

it('the receipt of a request with one of many keys names the key', async () => {
  expect(await callWith(world, firstKey)).toBe(200)
  const { page } = await world.openPortal('/activity', { endUserId: 'many', ...phone })
  await page.getByRole('list', { name: 'Requests' }).getByRole('link').first().click()
  await settled(page)
  const key = page.getByRole('term').filter({ hasText: 'Key' }).locator('xpath=following-sibling::dd[1]')
  expect(await key.textContent()).toMatch(/^key_/)
})

it('the page of an end user with many keys shows the most important limits, and links to the keys', async () => {
  const { page } = await world.openConsole(`/users/many?${scope()}`)
  await shown(page)
  expect(await page.getByRole('meter').count()).toBeLessThan(50)
  await page
    .getByText(/300.* more|more limits of keys/)
    .first()
    .waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'tab Keys' }).first().click()
  await page.getByRole('table', { name: 'Keys' }).waitFor()
})

it('a plan can be chosen among more than 200 bundles', async () => {
  const { page } = await world.openConsole(`/users?${scope()}`)
  await expect.poll(() => page.getByLabel('Bundle').locator('option').count()).toBeGreaterThan(205)
  await page.getByLabel('Bundle').selectOption('Plan 0')
  await page.waitForURL((url) => url.searchParams.get('bundle') === 'plan-0')
  await page.goto(`${world.console}/users/many?${scope()}&tab=plan`)
  await page.getByRole('button', { name: 'Change plan' }).click()
  const bundles = page.getByRole('dialog').getByLabel('Bundle')
  await expect.poll(() => bundles.locator('option').count()).toBeGreaterThan(205)
})

it('applications with the same name can be told apart', async () => {
  await done('PUT', '/v1/apps/twin-one', { name: 'Twin' })
  await done('PUT', '/v1/apps/twin-two', { name: 'Twin' })
  const { page } = await world.openConsole(`/keys?${scope()}`)
  await page.getByRole('button', { name: /^Application:/ }).click()
  await page.getByRole('menuitem', { name: 'Twin (twin-two)' }).click()
  await page.waitForURL((url) => url.searchParams.get('app') === 'twin-two')
  await page.getByRole('button', { name: 'Application: Twin (twin-two)' }).waitFor()
})

it('on a small phone, a toast and a menu with long names fit the window', async () => {
  const name = 'W'.repeat(128)
  await done('PUT', '/v1/apps/long-name', { name })
  const { page } = await world.openConsole(`/users?${scope()}&act=new`, phone)
  await page.getByRole('dialog').getByLabel('ID').fill(name)
  await page.getByRole('button', { name: 'Create end user' }).last().click()
  const toast = page.getByRole('dialog').filter({ hasText: 'Created W' })
  await toast.waitFor()
  const close = await toast.getByRole('button', { name: 'Close' }).boundingBox()
  expect((close?.x ?? 0) + (close?.width ?? 999)).toBeLessThanOrEqual(320)
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('button', { name: /^Application:/ }).click()
  const menu = page.getByRole('menu')
  await menu.getByText(name).waitFor()
  const box = await menu.boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(320)
  expect(await menu.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
})

it('on a small phone, pages of the console with long names are not wider than the window', async () => {
  const name = 'W'.repeat(128)
  await done('PUT', '/v1/apps/wide', { name })
  await done('PUT', '/v1/bundles/wide', { displayName: name })
  await addPerson(world, { externalId: 'wide', bundle: 'wide' })
  const { page } = await world.openConsole('/healthz', phone)
  for (const place of [
    '/settings?app=wide&mode=test',
    '/settings?tab=tags&app=wide&mode=test',
    `/users/wide?tab=plan&${scope()}`,
  ]) {
    /* oxlint-disable no-await-in-loop -- one page after the other */
    await page.goto(`${world.console}${place}`)
    await page.getByText(name).last().waitFor()
    await shown(page)
    expect([place, await page.evaluate(beyondWindow)]).toEqual([place, 0])
    /* oxlint-enable no-await-in-loop */
  }
})

it('on a small phone, the sheets of a bundle, a model, a router and a grant with long names do not scroll sideways', async () => {
  const slug = 'w'.repeat(63)
  const alias = `long/${'w'.repeat(123)}`
  const router = `route/${'w'.repeat(122)}`
  await done('PUT', `/v1/providers/${slug}`, {
    kind: 'openai_compatible',
    baseUrl: 'https://models.example.com/v1',
    apiKey: 'secret-of-the-test',
  })
  await done('PUT', `/v1/models/${encodeURIComponent(alias)}`, {
    sources: [{ provider: slug, model: alias }],
  })
  const targets = [{ alias }, { provider: slug, model: alias }]
  await done('PUT', `/v1/routers/${encodeURIComponent(router)}`, { policy: 'priority', targets })
  const creditCurrency = 'W'.repeat(32)
  await done('PUT', `/v1/bundles/${slug}`, { displayName: 'W'.repeat(128), creditCurrency })
  const input = { endUsers: ['many'], amountUnits: '1000000', reason: 'topup' }
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const { body: grant } = await world.call('POST', '/v1/grants', input, headers)
  const { page } = await world.openConsole('/healthz', phone)
  for (const place of [
    `/bundles?open=${slug}`,
    `/models?open=${encodeURIComponent(alias)}`,
    `/models?open=${encodeURIComponent(alias)}&bundle=${slug}`,
    `/routers?open=${encodeURIComponent(router)}`,
    `/grants?open=${grant.id}`,
  ]) {
    /* oxlint-disable no-await-in-loop -- one page after the other */
    await page.goto(`${world.console}${place}&${scope()}`)
    await shown(page)
    const sheet = page.getByRole('dialog')
    expect([place, await sheet.evaluate((one) => one.scrollWidth - one.clientWidth)]).toEqual([place, 0])
    /* oxlint-enable no-await-in-loop */
  }
})

it('the portal with long names, or with large text, is not wider than the window', async () => {
  const payer = 'W'.repeat(100)
  const name = 'W'.repeat(128)
  await done('PUT', '/v1/bundles/wide', { displayName: name })
  await addPerson(world, { externalId: payer, bundle: 'wide' })
  await done('PUT', '/v1/teams/wide', { displayName: name, payer })
  await addPerson(world, { externalId: 'guest', bundle: 'wide' })
  await done('PUT', '/v1/teams/wide/members/guest', {})
  await keyOf(world, 'guest', 'laptop')
  const { page } = await world.openPortal('/', { endUserId: 'guest', ...phone })
  for (const [place, size] of [
    ['/', '100%'],
    ['/limits', '100%'],
    ['/keys', '200%'],
    ['/docs', '200%'],
  ]) {
    /* oxlint-disable no-await-in-loop -- one page after the other */
    await page.goto(`${world.portal}${place}`)
    await settled(page)
    await page.evaluate((to) => void (document.documentElement.style.fontSize = to ?? ''), size)
    expect([place, await page.evaluate(beyondWindow)]).toEqual([place, 0])
    /* oxlint-enable no-await-in-loop */
  }
})

const beyondWindow = (): number => document.documentElement.scrollWidth - window.innerWidth
