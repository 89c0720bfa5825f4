/**
 * The URL states which sheet, dialog or form of the console is open. The back button closes it, and never leaves the
 * page or seems to do nothing.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pages } from '#web/console/pages.ts'
import { openPages, shown, type PageWorld } from '../../support/start-page-tests.ts'

let world: PageWorld
let requestId = ''
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
  await ask('PUT', '/v1/bundles/pro', { displayName: 'Pro', priceMicros: '20000000', interval: 'month' })
  await ask('PUT', '/v1/end-users/buyer', { bundle: 'pro' })
  await ask('PUT', '/v1/providers/main', { kind: 'openai', apiKey: 'secret-of-main-9876' })
  await ask('PUT', '/v1/teams/labs', { displayName: 'Labs', payer: 'ada' })
  await ask('PUT', '/v1/teams/works', { displayName: 'Works', payer: 'grace' })
  await ask('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '2000000' })
  await ask('PUT', '/v1/routers/acme%2Fsmart', { policy: 'priority', targets: [{ alias: 'sample/fast' }] })
  await ask('POST', '/v1/emitters', { kind: 'webhook', name: 'hook', url: 'https://hooks.example.com/usage' })
  requestId = (await ask('GET', '/v1/requests?limit=1&status=settled')).data[0].id
})
afterAll(() => world.close())

async function ask(method: string, path: string, body?: object) {
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const answer = await world.call(method, path, body, headers)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

/** Opens the first row of the page's list. */
const row = (page: Page) => page.locator('main [data-opens]').first().click()
const button = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click()

interface Overlay {
  readonly of: string
  readonly search?: string
  readonly open: (page: Page) => Promise<void>
}

const overlays: Readonly<Record<string, readonly Overlay[]>> = {
  '/requests': [{ of: 'a request', open: row }],
  '/requests/$id': [{ of: 'a refund', open: button('Refund request') }],
  '/emitters': [
    { of: 'an emitter', open: row },
    { of: 'a new emitter', open: button('Add emitter') },
  ],
  '/users': [{ of: 'a new end user', open: button('Create end user') }],
  '/users/$id': [
    { of: 'a grant', open: button('Grant credit') },
    { of: 'a key', search: '&tab=keys', open: row },
  ],
  '/keys': [
    { of: 'a key', open: row },
    { of: 'a new key', open: button('Create key') },
  ],
  '/grants': [
    { of: 'a grant', open: row },
    { of: 'a new grant', open: button('Grant credit') },
  ],
  '/invoices': [{ of: 'an invoice', open: row }],
  '/teams': [
    { of: 'a team', open: row },
    { of: 'a new team', open: button('Create team') },
  ],
  '/outcomes': [
    { of: 'an outcome', open: row },
    { of: 'a new outcome', open: button('Define outcome') },
  ],
  '/models': [
    { of: 'a model', open: row },
    { of: 'a new model', open: button('Add model') },
  ],
  '/routers': [
    { of: 'a router', open: row },
    { of: 'a new router', open: button('Add router') },
    { of: 'a planned request', open: button('Plan request') },
  ],
  '/bundles': [
    { of: 'a bundle', open: row },
    { of: 'a new bundle', open: button('Create bundle') },
  ],
  '/providers': [
    { of: 'an account', open: row },
    { of: 'a new account', open: button('Connect account') },
    { of: 'a published price', search: '&view=catalogue', open: row },
  ],
  '/apps': [
    { of: 'an application', open: row },
    { of: 'a new application', open: button('Create application') },
  ],
  '/team': [{ of: 'an invitation', open: button('Invite member') }],
  '/tokens': [{ of: 'a new token', open: button('Create token') }],
  '/audit': [{ of: 'a change', open: row }],
  '/settings': [
    { of: 'daily limits', search: '&tab=limits', open: button('Set limits of All applications together') },
  ],
}

/** A toast is a dialog too, but not a modal one. */
const overlay = (page: Page) => page.locator('[role=dialog]:not([aria-modal=false])')

function addressOf(path: string, search = ''): string {
  const id = path.startsWith('/requests') ? requestId : 'ada'
  // Test mode has no provider accounts.
  const mode = path === '/providers' ? '' : '&mode=test'
  return `${path.replace('$id', id)}?app=${world.app}${mode}${search}`
}

/** Each step of the history is a page with or without an overlay. */
async function expectShown(page: Page, url: string, isOpen: boolean): Promise<void> {
  await page.waitForURL(url)
  await overlay(page).waitFor({ state: isOpen ? 'visible' : 'hidden' })
}

describe.each(pages.filter(({ path }) => path in overlays))('the page $title ($path)', ({ path }) => {
  it.each(overlays[path] ?? [])(
    'closes the overlay of $of if the user goes back, and opens it again if the user goes forward',
    async ({ open, search }) => {
      const { page } = await world.openConsole(addressOf('/doctor'))
      await page.goto(world.console + addressOf(path, search))
      await shown(page)
      const before = page.url()
      await open(page)
      await overlay(page).waitFor()
      await shown(page)
      const opened = page.url()
      expect(opened).not.toBe(before)
      await page.goBack()
      await expectShown(page, before, false)
      await page.goForward()
      await expectShown(page, opened, true)
      await page.reload()
      await expectShown(page, opened, true)
      await shown(page)
      await page.keyboard.press('Escape')
      await expectShown(page, before, false)
      await page.goBack()
      await page.waitForURL((url) => url.pathname === '/doctor')
      // A link opens the overlay, too.
      await page.goto(opened)
      await expectShown(page, opened, true)
      await shown(page)
      await overlay(page).getByRole('button', { name: 'Close', exact: true }).click()
      await expectShown(page, before, false)
      await page.goBack()
      await page.waitForURL((url) => url.pathname === '/doctor')
    },
  )
})

it('a form in a sheet is closed first, and the sheet is closed next', async () => {
  const { page } = await world.openConsole(addressOf('/doctor'))
  await page.goto(world.console + addressOf('/teams'))
  await row(page)
  await page.getByRole('button', { name: 'Rename team' }).click()
  await page.getByLabel('Display name').waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Rename team' }).click()
  await page.getByLabel('Display name').waitFor()
  await overlay(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Rename team' }).click()
  await page.getByLabel('Display name').waitFor()
  // Escape closes the sheet and its form.
  await page.keyboard.press('Escape')
  await overlay(page).waitFor({ state: 'hidden' })
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/doctor')
})

it('a sheet in which j opened the next row is closed by one press of the back button', async () => {
  const { page } = await world.openConsole(addressOf('/doctor'))
  await page.goto(world.console + addressOf('/teams'))
  await row(page)
  await overlay(page).waitFor()
  const first = page.url()
  await page.keyboard.press('j')
  await page.waitForURL((url) => url.href !== first)
  await page.goBack()
  await overlay(page).waitFor({ state: 'hidden' })
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/doctor')
})

it('two quick presses of Escape close one sheet, and stay on the page', async () => {
  const { page } = await world.openConsole(addressOf('/doctor'))
  await page.goto(world.console + addressOf('/teams'))
  await row(page)
  await overlay(page).waitFor()
  await shown(page)
  await page.evaluate(() => {
    for (let presses = 0; presses < 2; presses++) {
      const event = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true })
      document.activeElement?.dispatchEvent(event)
    }
  })
  await overlay(page).waitFor({ state: 'hidden' })
  await shown(page)
  expect(new URL(page.url()).pathname).toBe('/teams')
})

it('a filter that changes while a sheet is open is kept when the sheet closes', async () => {
  const { page } = await world.openConsole(addressOf('/doctor'))
  await page.goto(world.console + addressOf('/keys'))
  await row(page)
  await overlay(page).waitFor()
  await page.getByLabel('State').selectOption('active')
  await page.waitForURL((url) => url.searchParams.get('state') === 'active')
  await overlay(page).getByRole('button', { name: 'Close', exact: true }).click()
  await overlay(page).waitFor({ state: 'hidden' })
  expect(new URL(page.url()).searchParams.get('state')).toBe('active')
})

it('after a form has created a team, the back button returns to the page before the list', async () => {
  const { page } = await world.openConsole(addressOf('/doctor'))
  await page.goto(world.console + addressOf('/teams'))
  await page.getByRole('button', { name: 'Create team' }).click()
  await overlay(page).getByLabel('Slug').fill('made')
  await overlay(page).getByLabel('Display name').fill('Made')
  await overlay(page).getByLabel('Payer').fill('dennis')
  await overlay(page).getByRole('button', { name: 'Create team' }).click()
  await page.getByRole('row').filter({ hasText: 'made' }).waitFor()
  await overlay(page).waitFor({ state: 'hidden' })
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/doctor')
})

it('a form that the command bar opens on its own page is closed by the back button', async () => {
  const { page } = await world.openConsole(addressOf('/doctor'))
  await page.goto(world.console + addressOf('/keys'))
  await shown(page)
  const before = page.url()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Create key' }).click()
  await overlay(page).getByLabel('End user').waitFor()
  await page.goBack()
  await expectShown(page, before, false)
  await page.goForward()
  await overlay(page).getByLabel('End user').waitFor()
  await page.keyboard.press('Escape')
  await expectShown(page, before, false)
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/doctor')
})
