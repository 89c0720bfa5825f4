import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectAccessible,
  expectAccessibleNow,
  expectQuiet,
  openPages,
  owner,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import { testCaller, testHeaders } from '../../support/send-calls-in-test-mode.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
})
afterAll(() => world.close())

const at = (path: string, query = ''): string => `${path}?app=${world.app}&mode=test${query}`
// oxlint-disable-next-line typescript/no-explicit-any -- an answer, of which a test reads what it expects
async function api(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await world.call(method, path, body, testHeaders(world))
  expect([path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([path, answer.status, ''])
  return answer.body
}
const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])')
type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>
const overlaps = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height
/** Returns the position of `last`. */
async function endOf(page: Page, last: Locator): Promise<Box | null> {
  await dialogOf(page).evaluate((sheet) => sheet.scrollTo(0, sheet.scrollHeight))
  return last.boundingBox()
}
const idsIn = (page: Page) => page.locator('tbody [data-opens]').allTextContents()
const idsOf = async (query: string): Promise<string[]> =>
  (await api('GET', `/v1/end-users?limit=200&${query}`)).data.map(
    (user: { externalId: string }) => user.externalId,
  )

it('the console sorts end users like the API and counts them, and the key j moves to the first row', async () => {
  for (let n = 0; n < 60; n++) await api('PUT', `/v1/end-users/many-${n}`, {})
  await api('POST', '/v1/grants', { endUsers: ['many-7'], amountUnits: '987000000', reason: 'welcome' })
  await api('POST', '/v1/end-users/many-9/freeze')
  const { page, ...seen } = await world.openConsole(at('/users'))
  await page.locator('tbody [data-opens]').first().waitFor()
  const { total } = await api('GET', '/v1/end-users?limit=1&total=true')
  await page.getByText(`${total} end users`).waitFor()
  await page.getByText('Updated just now').waitFor()
  await page.keyboard.press('j')
  expect(await page.evaluate(() => document.activeElement?.matches('[data-opens]'))).toBe(true)
  await page.getByRole('button', { name: 'Balance' }).click()
  await expect.poll(async () => (await idsIn(page))[0]).toBe('many-7')
  expect(await idsIn(page)).toEqual(await idsOf('sort=balance'))
  expect(await page.getByRole('columnheader', { name: 'Balance' }).getAttribute('aria-sort')).toBe(
    'descending',
  )
  await page.getByRole('button', { name: 'End user', exact: true }).click()
  const byName = await idsOf('sort=name')
  await expect.poll(() => idsIn(page)).toEqual(byName)
  expect(new URL(page.url()).searchParams.get('sort')).toBe('name')
  await expectAccessible(page)
  await page.getByLabel('Status').selectOption('frozen')
  await expect.poll(() => idsIn(page)).toEqual(['many-9'])
  await page.getByText('1 end user', { exact: true }).waitFor()
  await expectQuiet(page, seen)
})

it('the command bar finds end users, model names, bundles, keys and requests', async () => {
  await api('PUT', '/v1/end-users/maya-1', { email: 'needle@haystack.example' })
  const key = await api('POST', '/v1/keys', { endUserId: 'maya-1', name: 'laptop' })
  const [request] = (await api('GET', '/v1/requests?limit=1')).data
  const [bundle] = (await api('GET', '/v1/bundles')).data
  const { page, ...seen } = await world.openConsole(at('/'))
  await shown(page)
  await page.keyboard.press('Control+k')
  const field = page.getByPlaceholder('Search or go to a page')
  const option = (name: string | RegExp) => page.getByRole('option', { name })
  for (const [typed, name] of [
    ['MAYA', 'maya-1'],
    ['needle@', 'needle@haystack.example'],
    ['sample/fa', 'sample/fast'],
    [bundle.slug, bundle.displayName],
    [key.id, 'laptop'],
    [key.key.slice(0, 16), 'laptop'],
    [request.id, request.id],
    ['doctor', 'Doctor'],
  ] as const) {
    await field.fill(typed)
    await option(name).first().waitFor()
    expect(await page.getByText('No matches.').count()).toBe(0)
  }
  await expectAccessible(page)
  await field.fill('nothing is called this')
  await page.getByText('No matches.').waitFor()
  // The command bar cancels a look-up that is no longer needed, and never shows its response.
  await page.route('**/v1/end-users?*search=slow*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue().catch(() => undefined)
  })
  const canceled = page.waitForEvent('requestfailed', (asked) => asked.url().includes('search=slow'))
  const asked = page.waitForRequest((one) => one.url().includes('search=slow'))
  await field.fill('slow')
  await asked
  await field.fill('maya')
  await canceled
  await option('maya-1').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'maya-1', level: 1 }).waitFor()
  await expectQuiet(page, seen)
})

it('the console offers typed text as filters of requests', async () => {
  const { page, ...seen } = await world.openConsole(at('/requests'))
  await shown(page)
  const [request] = (await api('GET', '/v1/requests?limit=1')).data
  await page.keyboard.press('/')
  await page.keyboard.type('200')
  await page.getByRole('option', { name: 'End user: 200' }).waitFor()
  await page.getByRole('option', { name: 'HTTP status: 200' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('http')).toBe('200')
  const answered = (await api('GET', '/v1/requests?limit=200&httpStatus=200')).data.length
  await expect.poll(() => page.locator('tbody tr').count()).toBe(answered)
  await page.keyboard.type(request.endUserId)
  await page
    .getByRole('option', { name: `End user: ${request.endUserId}` })
    .first()
    .waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type(request.id)
  await page.getByRole('option', { name: `Id: ${request.id}` }).click()
  await page.getByRole('heading', { name: 'Request', level: 1 }).waitFor()
  await expectQuiet(page, seen)
})

it('the console shows all times in one named time zone, shows days in long ranges, and shows cards on a phone', async () => {
  const { page, ...seen } = await world.openConsole(at('/settings', '&tab=you'), {
    timezoneId: 'America/New_York',
  })
  const time = page.locator('tbody time').first()
  const open = async (query: string): Promise<string> => {
    await page.goto(`${world.console}${at('/requests', query)}`)
    await time.waitFor()
    return (await time.textContent()) ?? ''
  }
  const [request] = (await api('GET', '/v1/requests?limit=1')).data
  const clock = (timeZone: string): string =>
    new Date(request.createdAt).toLocaleTimeString('en-GB', { timeZone })
  expect(await open('&range=7d')).toMatch(new RegExp(`^\\d+ \\w{3}, ${clock('UTC')}$`))
  await page.getByRole('columnheader', { name: 'Time UTC' }).waitFor()
  await page.goto(`${world.console}${at('/settings', '&tab=you')}`)
  await page.getByText('Browser: America/New_York').click()
  await page.getByText(/^Now: .* GMT-[45]$/).waitFor()
  expect(await open('&range=7d')).toMatch(new RegExp(`${clock('America/New_York')}$`))
  await page.getByRole('columnheader', { name: /^Time GMT-[45]$/ }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(() => page.locator('tbody tr').first().locator('td').count()).toBe(1)
  const card = page.locator('tbody tr').first()
  for (const text of [request.endUserId, /charged|rejected/]) await card.getByText(text).first().waitFor()
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await expectQuiet(page, seen)
})

it('a long ID is shortened to 180 pixels, so that every column of requests stays in the window', async () => {
  const longId = `long-${'x'.repeat(115)}`
  const id = await (await testCaller(world, longId)).send()
  expect((await api('GET', `/v1/requests/${id}`)).endUserId).toBe(longId)
  const { page, ...seen } = await world.openConsole(at('/requests'))
  const name = page.getByTitle(longId)
  await name.waitFor()
  expect((await name.boundingBox())?.width).toBeLessThanOrEqual(180)
  const total = await page.getByRole('columnheader', { name: 'Total' }).boundingBox()
  expect((total?.x ?? Infinity) + (total?.width ?? 0)).toBeLessThanOrEqual(1440)
  await expectQuiet(page, seen)
})

it('the console reloads users, models and accounts every minute, and shows the age of the data', async () => {
  const { page } = await world.openConsole(at('/'))
  await page.clock.install()
  for (const [path, read] of [
    ['/users', '/v1/end-users?'],
    ['/models', '/v1/models?'],
    ['/providers', '/v1/providers?'],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one page
    await page.goto(world.console + at(path))
    // oxlint-disable-next-line no-await-in-loop -- as above
    await page.getByText('Updated just now').waitFor()
    const again = page.waitForRequest((asked) => asked.url().includes(read))
    // oxlint-disable-next-line no-await-in-loop -- as above
    await page.clock.fastForward('01:01')
    // oxlint-disable-next-line no-await-in-loop -- as above
    await again
  }
})

it('a toast covers no button at the end of a sheet', async () => {
  const { page } = await world.openConsole(at('/apps', `&open=${world.app}`))
  for (const viewport of [
    { width: 1024, height: 600 },
    { width: 390, height: 844 },
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one page
    await page.setViewportSize(viewport)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await dialogOf(page).getByRole('button', { name: 'Rename application' }).click()
    const name = page.getByLabel('Name', { exact: true })
    // oxlint-disable-next-line no-await-in-loop -- as above
    await name.fill(`Sample month at a width of ${viewport.width} pixels`)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await name.press('Enter')
    const toast = page.locator('[role="dialog"][aria-modal="false"]').last()
    // oxlint-disable-next-line no-await-in-loop -- as above
    await toast.waitFor()
    const last = dialogOf(page).getByRole('button').last()
    // oxlint-disable-next-line no-await-in-loop -- as above
    const [button, card] = [await endOf(page, last), await toast.boundingBox()]
    expect(button).not.toBeNull()
    expect(card && button && overlaps(card, button)).toBe(false)
  }
  await api('PUT', `/v1/apps/${world.app}`, { name: 'Sample month' })
})

it('the navigation fits 900 pixels in height, the brand page fits 1,024 pixels in width, and a long product name fits a phone', async () => {
  const rail = await world.openConsole(at('/'), { viewport: { width: 1440, height: 900 } })
  const nav = rail.page.getByRole('navigation', { name: 'Pages' })
  await nav.waitFor()
  // The current day is marked as unfinished.
  await rail.page.locator('[data-unfinished]').first().waitFor()
  expect(await nav.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0)
  await rail.page.emulateMedia({ media: 'print' })
  expect(await nav.isVisible()).toBe(false)

  const { page, ...seen } = await world.openConsole(at('/brand'), { viewport: { width: 1024, height: 800 } })
  await page.getByLabel('Product name').waitFor()
  await shown(page)
  await expectQuiet(page, seen)

  const before = await api('GET', '/v1/brand')
  await api('PATCH', '/v1/brand', { productName: 'A'.repeat(60), supportEmail: null, supportUrl: null })
  const portal = await world.openPortal('/plan', { viewport: { width: 390, height: 844 } })
  for (const path of ['/plan', '/settings']) {
    await portal.page.goto(world.portal + path)
    await shown(portal.page)
    expect([path, await portal.page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
      path,
      390,
    ])
  }
  await api('PATCH', '/v1/brand', { productName: before.productName })
})

it('a sheet has only one button that shows code, freezing requires a reason, and the key form says that an unknown ID creates an end user', async () => {
  const { page, ...seen } = await world.openConsole(at('/models', '&open=sample%2Ffast'))
  await page.getByRole('button', { name: 'As code' }).last().waitFor()
  expect(
    await dialogOf(page)
      .getByRole('button', { name: /as code|code to|code of/i })
      .count(),
  ).toBe(1)
  await dialogOf(page).getByRole('button', { name: 'As code' }).click()
  const code = page.getByRole('dialog', { name: 'As code' })
  await code.getByLabel('Operation').selectOption('models.rm')
  await code.getByText('sample/fast').first().waitFor()
  await expectAccessible(page)
  await api('PUT', '/v1/end-users/cold', {})
  await page.goto(`${world.console}${at('/users/cold', '&act=freeze')}`)
  await dialogOf(page).getByLabel('Reason').fill('chargeback')
  await dialogOf(page).getByRole('button', { name: 'Freeze cold' }).click()
  await page.getByText('(chargeback)').waitFor()
  expect((await api('GET', '/v1/end-users/cold')).frozenReason).toBe('chargeback')
  await page.goto(`${world.console}${at('/keys', '&act=new')}`)
  // When the dialog opens, it moves the focus to its first field.
  const field = dialogOf(page).getByRole('combobox').or(dialogOf(page).getByRole('textbox')).first()
  await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true)
  await page.keyboard.type('someone-new')
  await page.keyboard.press('Tab')
  await page.getByText('No end user has this ID yet. A new end user will be created.').waitFor()
  await expectQuiet(page, seen)
})

it('if the session has ended, a user signs in without leaving the form, and sends the form again', async () => {
  const { page } = await world.openConsole(at('/users', '&act=new'))
  const form = dialogOf(page)
  await form.waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
  await page.keyboard.type('after-the-session')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  const again = page.getByRole('dialog', { name: 'Your session has ended' })
  await again.waitFor()
  // The console is still sending the form below the dialog.
  await expectAccessibleNow(page)
  expect(await again.getByLabel('Email address').inputValue()).toBe(owner.email)
  await again.getByLabel('Password').fill('wrong password here')
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await again.getByRole('alert').waitFor()
  await again.getByLabel('Password').fill(owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'after-the-session', level: 1 }).waitFor()
  expect((await api('GET', '/v1/end-users/after-the-session')).externalId).toBe('after-the-session')

  // A sign-in that is canceled leaves the typed form unchanged.
  await page.goto(`${world.console}${at('/users', '&act=new')}`)
  await form.waitFor()
  await page.keyboard.type('kept')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  await again.getByRole('button', { name: 'Cancel' }).click()
  await again.waitFor({ state: 'hidden' })
  expect(await form.locator('input').first().inputValue()).toBe('kept')
})
