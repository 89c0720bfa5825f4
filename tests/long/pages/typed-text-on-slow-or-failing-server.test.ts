/** Text that a member types in the console is kept while responses are late, while loads fail, and after the session ends. */
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPages, owner, shown, type PageWorld } from '../../support/start-page-tests.ts'
import { addPerson, callWith, keyOf } from '../../pages/portal-page-helpers.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
  await ok(world.call('PUT', '/v1/teams/labs', { displayName: 'Labs', payer: 'ada' }, headers()))
})
afterAll(() => world.close())

const scope = () => `app=${world.app}&mode=test`
const headers = () => ({ 'x-svc-app': world.app, 'x-svc-mode': 'test' })

async function ok(answer: ReturnType<PageWorld['call']>): Promise<void> {
  const { status, text } = await answer
  expect([status < 300, text]).toEqual([true, text])
}

/** Text in test data must not depend on the speed of the typing. */
const typed = (page: Page, text: string) => page.keyboard.type(text)

const overloaded = (route: Route) =>
  route.fulfill({
    status: 503,
    headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
    body: '{"error":{"message":"The server is overloaded.","code":"overloaded","type":"x"}}',
  })

/** Responses are old after ten seconds. The page then loads them again when its window gets the focus. */
async function loadAgain(page: Page): Promise<void> {
  await page.clock.fastForward('00:20')
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
}

/** Each load of the path fails from now on. @returns after a load has failed */
async function failLoads(page: Page, path: string): Promise<void> {
  const failed = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    await overloaded(route)
    failed.resolve()
  })
  await loadAgain(page)
  await failed.promise
  await shown(page)
}

describe('the search field of a list', () => {
  it('keeps a space at the end of the text, so that a second word can follow after a pause', async () => {
    const { page } = await world.openConsole(`/users?${scope()}`)
    await page.getByLabel('Search by ID or email').click()
    await typed(page, 'ada ')
    await page.waitForURL((url) => url.searchParams.get('q') === 'ada')
    await shown(page)
    await typed(page, 'lovelace')
    await page.waitForURL((url) => url.searchParams.get('q') === 'ada lovelace')
  })

  it('follows the URL if the filter is removed elsewhere', async () => {
    const { page } = await world.openConsole(`/users?${scope()}&q=nobody`)
    await page.getByRole('button', { name: 'Show all end users' }).click()
    await expect.poll(() => page.getByLabel('Search by ID or email').inputValue()).toBe('')
    await page.getByRole('button', { name: 'ada', exact: true }).waitFor()
  })
})

it('Enter in the filter of the requests chooses the typed end user, not a suggestion for an earlier text', async () => {
  const { page } = await world.openConsole(`/requests?${scope()}`)
  await page.getByLabel('Add filter').click()
  await typed(page, 'a')
  await page.getByRole('option', { name: 'End user: ada' }).waitFor()
  const released = Promise.withResolvers<void>()
  await page.route('**/v1/end-users?*', async (route) => {
    await released.promise
    await route.continue()
  })
  await typed(page, 'nn')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.has('user'))
  expect(new URL(page.url()).searchParams.get('user')).toBe('ann')
  released.resolve()
})

it('a pattern that is typed while another pattern is saved is kept', async () => {
  const { page } = await world.openConsole(`/bundles?${scope()}&open=starter`)
  const field = page.getByLabel('Name or pattern')
  await field.fill('sample/*')
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route('**/v1/bundles/starter/allow', async (route) => {
    arrived.resolve()
    await released.promise
    await route.continue()
  })
  await field.press('Enter')
  await arrived.promise
  await field.fill('sample/f*')
  released.resolve()
  await page.getByRole('button', { name: 'Deny sample/*' }).waitFor()
  await shown(page)
  expect(await field.inputValue()).toBe('sample/f*')
})

it('a document that is changed during the preview must be previewed again', async () => {
  const { page } = await world.openConsole(`/apps?${scope()}&open=${world.app}&act=apply`)
  const field = page.getByLabel('Document', { exact: true })
  await field.fill('{"format":1,"application":{"name":"First name"}}')
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route('**/v1/apps/*/configuration*', async (route) => {
    if (route.request().method() === 'GET') return route.fallback()
    arrived.resolve()
    await released.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await arrived.promise
  await field.fill('{"format":1,"application":{"name":"Second name"}}')
  const answered = page.waitForResponse((response) => response.request().method() !== 'GET')
  released.resolve()
  await answered
  await shown(page)
  expect(await page.locator('[data-summary]').count()).toBe(0)
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('button', { name: /^Apply 1 change/ }).waitFor()
})

describe('if a repeated load fails', () => {
  it.each([
    ['the name of a team', '/teams?open=labs&act=rename', '**/v1/teams/labs', 'Display name', 'Laboratories'],
    [
      'the rules for keys of end users',
      '/brand?',
      '**/v1/portal-settings',
      'Highest spend cap of a key',
      '17',
    ],
    ['the settings of the gateway', '/settings?', '**/v1/gateway', 'Accepted models', 'sample/*'],
    ['the daily limits', '/settings?tab=limits&open=all', '**/v1/limits', 'Requests per day', '321'],
  ])('the form with %s keeps the typed text', async (_, place, path, label, text) => {
    const { page } = await world.openConsole(`${place}&${scope()}`)
    await page.clock.install()
    const field = page.getByLabel(label)
    await field.fill(text)
    await failLoads(page, path)
    expect(await field.inputValue()).toBe(text)
  })
})

describe('if the user chooses a link and goes back', () => {
  it.each([
    ['the rules for keys of end users', '/brand?', 'Highest spend cap of a key', '17'],
    ['the sources of a model', '/models?open=sample%2Ffast&act=sources', 'Output tokens to hold', '321'],
  ])('the form with %s keeps the typed text', async (_, place, label, text) => {
    const { page } = await world.openConsole(`${place}&${scope()}`)
    const field = page.getByLabel(label)
    await field.fill(text)
    await page.locator('nav').getByText('Audit').click()
    await page.waitForURL((url) => url.pathname === '/audit')
    await page.goBack()
    await field.waitFor()
    expect(await field.inputValue()).toBe(text)
  })
})

it.each([
  ['the brand', 'Product name', ' Acme ', 'Save brand', 'Acme'],
  ['the rules for keys of end users', 'Highest spend cap of a key', '2.5', 'Save permissions', '2.50'],
])(
  'after a save, the form with %s shows the saved value as unchanged',
  async (_, label, text, action, saved) => {
    const { page } = await world.openConsole(`/brand?${scope()}`)
    const field = page.getByLabel(label)
    await field.fill(text)
    await page.getByRole('button', { name: action }).click()
    await expect.poll(() => field.inputValue()).toBe(saved)
    await expect.poll(() => page.getByRole('button', { name: action }).isDisabled()).toBe(true)
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe(saved)
  },
)

describe('if the session has ended when the window gets the focus', () => {
  async function signInAgain(page: Page): Promise<void> {
    const again = page.getByRole('dialog', { name: 'Your session has ended' })
    await again.getByLabel('Password').fill(owner.password)
    await again.getByRole('button', { name: 'Sign in', exact: true }).click()
    await again.waitFor({ state: 'hidden' })
  }
  async function endSession(page: Page): Promise<void> {
    await page.context().clearCookies()
    await page.clock.fastForward('01:01')
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  }

  it('a changed form of a page keeps the typed text during the sign-in', async () => {
    const { page } = await world.openConsole(`/brand?${scope()}`)
    await page.clock.install()
    await page.getByLabel('Support page').fill('https://help.example')
    await endSession(page)
    await signInAgain(page)
    expect(await page.getByLabel('Support page').inputValue()).toBe('https://help.example')
  })

  it('the secret of a new key remains on the page during the sign-in', async () => {
    await addPerson(world, { externalId: 'keeps', bundle: 'starter' })
    const { page } = await world.openConsole(`/users/keeps?${scope()}&act=mint`)
    await page.clock.install()
    await page.getByRole('button', { name: 'Create test key' }).click()
    await page.locator('[data-secret]').waitFor()
    await endSession(page)
    await signInAgain(page)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    expect(await page.locator('[data-secret]').textContent()).toMatch(/^ak_[a-z0-9]+_\w+$/i)
  })
})

describe('two tabs', () => {
  it('keep the views of the requests page that each of them saves', async () => {
    const { page } = await world.openConsole(`/requests?${scope()}&user=ada`)
    const other = await page.context().newPage()
    await other.goto(`${world.console}/requests?${scope()}&user=grace`)
    await other.getByRole('button', { name: 'Views' }).waitFor()
    for (const [tab, name] of [
      [page, 'Of ada'],
      [other, 'Of grace'],
    ] as const) {
      /* oxlint-disable no-await-in-loop -- one tab after the other */
      await tab.getByRole('button', { name: 'Views' }).click()
      await tab.getByRole('menuitem', { name: 'Save filters as view' }).click()
      await tab.getByLabel('Name').fill(name)
      await tab.getByRole('button', { name: 'Save view' }).click()
      await tab.getByRole('button', { name }).click()
      await tab.getByRole('menuitem', { name: `${name} selected` }).waitFor()
      /* oxlint-enable no-await-in-loop */
    }
    await other.getByRole('menuitem', { name: 'Of ada', exact: true }).waitFor()
  })

  it('keep the charts that each of them saves', async () => {
    const { page } = await world.openConsole(`/explore?${scope()}&metric=cost`)
    const other = await page.context().newPage()
    await other.goto(`${world.console}/explore?${scope()}&metric=charged`)
    await other.getByRole('button', { name: 'Saved charts' }).waitFor()
    for (const [tab, name] of [
      [page, 'One'],
      [other, 'Two'],
    ] as const) {
      /* oxlint-disable no-await-in-loop -- one tab after the other */
      await tab.getByRole('button', { name: 'Saved charts' }).click()
      await tab.getByRole('menuitem', { name: 'Save chart' }).click()
      await tab.getByLabel('Name', { exact: true }).last().fill(name)
      await tab.getByRole('button', { name: 'Save chart' }).click()
      await tab.getByRole('button', { name, exact: true }).click()
      await tab.getByRole('menuitem', { name: `${name} selected` }).waitFor()
      /* oxlint-enable no-await-in-loop */
    }
    await other.getByRole('menuitem', { name: 'One', exact: true }).waitFor()
  })
})

it('if the active application can not be changed, a message says so', async () => {
  await ok(world.call('PUT', '/v1/apps/second', { name: 'Second' }))
  const { page } = await world.openConsole(`/apps?${scope()}&open=second`)
  await page.route('**/v1/apps/second/use', overloaded)
  await page.getByRole('button', { name: 'Make active' }).click()
  await page.getByText("Second couldn't be made active. The server is overloaded.").waitFor()
})

it('a confirmation accepts a copied name with spaces at its ends', async () => {
  await addPerson(world, { externalId: 'leaves', bundle: 'starter' })
  const { page } = await world.openConsole(`/users/leaves?${scope()}&act=remove`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(' leaves ')
  await dialog.getByRole('button', { name: 'Remove leaves' }).click()
  await page.waitForURL((url) => url.pathname === '/users')
})

it('if the secret of a new key is lost, the list shows the key, and another attempt is not refused', async () => {
  await addPerson(world, { externalId: 'loses', bundle: 'starter' })
  const { page } = await world.openConsole(`/users/loses?${scope()}&tab=keys&act=mint`)
  const dialog = page.getByRole('dialog')
  const create = dialog.getByRole('button', { name: 'Create test key' })
  let lost = 0
  await page.route('**/v1/keys', async (route) => {
    // The first request, and the automatic retry.
    if (route.request().method() === 'GET' || lost === 2) return route.fallback()
    if (lost++ === 0) await route.fetch()
    await route.abort()
  })
  await create.click()
  await dialog.getByText("The server can't be reached.").waitFor()
  await create.click()
  await dialog.getByText('An earlier attempt was saved, but its response was lost.').waitFor()
  await page.getByRole('table', { name: 'Keys', includeHidden: true }).getByText('ak_').waitFor()
  await create.click()
  await page.locator('[data-secret]').waitFor()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await expect.poll(() => page.getByRole('table', { name: 'Keys' }).locator('tbody tr').count()).toBe(2)
})

it.each([
  ['behind', -5],
  ['ahead', 5],
])(
  "if the computer's clock is hours %s, the last hour and relative times follow the server",
  async (_, hours) => {
    await addPerson(world, { externalId: 'ticks', bundle: 'starter', balanceMicros: '5000000' })
    expect(await callWith(world, await keyOf(world, 'ticks'))).toBe(200)
    const { page } = await world.openConsole('/healthz')
    await page.clock.install({ time: Date.now() + hours * 3_600_000 })
    await page.goto(`${world.console}/requests?${scope()}&range=1h&user=ticks`)
    const row = page.getByRole('table', { name: 'Requests' }).locator('tbody tr').first()
    await row.getByText('ticks').waitFor()
    await page.goto(`${world.console}/users/ticks?${scope()}&tab=keys`)
    await page.getByRole('table', { name: 'Keys' }).getByText('just now').first().waitFor()
  },
)

it('if the choice of the charged prices of a bundle can not be saved, the sheet of the bundle shows the error', async () => {
  await ok(world.call('PUT', '/v1/bundles/undecided', { displayName: 'Undecided' }, headers()))
  const price = { model: 'sample/fast', price: { input: '1000000', output: '2000000' } }
  await ok(world.call('POST', '/v1/bundles/undecided/price', price, headers()))
  const { page } = await world.openConsole(`/bundles?${scope()}&open=undecided`)
  await page.route('**/v1/bundles/undecided', (route) =>
    route.request().method() === 'GET' ? route.fallback() : overloaded(route),
  )
  await page.getByRole('button', { name: 'Charge sell prices' }).click()
  await page.getByRole('dialog').getByRole('alert').getByText('The server is overloaded.').waitFor()
})

it('a sign-out after the end of the session opens the sign-in page', async () => {
  const { page } = await world.openConsole(`/tokens?${scope()}`)
  await shown(page)
  await page.context().clearCookies()
  await page.getByRole('button', { name: /^Your account:/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
