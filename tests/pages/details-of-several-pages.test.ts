/** Details that several pages share. The sample application is in its second month, with unpaid invoices. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, openPages, owner, shown, type PageWorld } from '../support/start-page-tests.ts'
import { addPerson, asked } from './portal-page-helpers.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages()
})
afterAll(() => world.close())

const inTest = () => `app=${world.app}&mode=test`
const focusedLabel = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent)

it('the title of a page names the end user of the page, and the title of a missing page says so', async () => {
  const { page } = await world.openConsole(`/users/ada?${inTest()}`)
  await expect.poll(() => page.title()).toBe('ada · End user · Tollgate')
  await page.goto(`${world.console}/users?${inTest()}`)
  await expect.poll(() => page.title()).toBe('End users · Tollgate')
  await page.goto(`${world.console}/no-such-page?${inTest()}`)
  await expect.poll(() => page.title()).toBe('Page not found · Tollgate')
  await page.goto(`${world.console}/sign-in`)
  await expect.poll(() => page.title()).toBe('Sign in · Tollgate')
})

it('if the URL names an unknown application, the application menu shows the name of the URL', async () => {
  const { page } = await world.openConsole('/users?app=no-such-app&mode=test')
  await page.getByRole('alert').getByText('There is no application no-such-app.').waitFor()
  await page.getByRole('button', { name: 'Application: no-such-app' }).click()
  await page.getByRole('menuitem', { name: 'Sample month' }).click()
  await page.getByRole('button', { name: 'ada', exact: true }).waitFor()
})

it('if the server is unreachable, a link to a page shows an error with a retry, and the navigation remains', async () => {
  const { page } = await world.openConsole(`/users?${inTest()}`)
  await page.getByRole('button', { name: 'ada', exact: true }).waitFor()
  await page.context().setOffline(true)
  const toKeys = page.getByRole('link', { name: 'Keys', exact: true })
  await toKeys.click()
  const alert = page.getByRole('alert')
  await alert.getByText("The server can't be reached.").waitFor()
  await alert.getByRole('button', { name: 'Try again' }).click()
  await toKeys.waitFor()
  await page.context().setOffline(false)
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
})

it('credit that could not be granted without a connection is reported, and is not granted when the connection returns', async () => {
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const grants = async (): Promise<number> => {
    const { body } = await world.call('GET', '/v1/grants?limit=100', undefined, headers)
    return body.data.length
  }
  const before = await grants()
  const { page } = await world.openConsole(`/users/ada?${inTest()}`)
  await page.getByRole('button', { name: 'Grant credit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('5')
  await dialog.getByLabel('Reason').fill('welcome')
  await page.context().setOffline(true)
  await dialog.getByRole('button', { name: 'Grant $5.00' }).click()
  await dialog.getByRole('alert').getByText("The server can't be reached.").waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.context().setOffline(false)
  await page.reload()
  await shown(page)
  expect(await grants()).toBe(before)
})

it('the page of an unknown request explains where the request can be, and does not offer a retry', async () => {
  const { page } = await world.openConsole(`/requests/req_00000000000000000000000000?${inTest()}`)
  await page.getByText('Request not found').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await expectAccessible(page)
})

it('times that do not depend on the test clock are relative to the real time, in test mode too', async () => {
  // The test clock of the sample application is a month ahead.
  const { page } = await world.openConsole(`/team?${inTest()}`)
  const session = page.getByRole('row').filter({ hasText: 'this one' })
  await session.waitFor()
  expect(await session.locator('time').nth(1).textContent()).toMatch(/just now|min ago|h ago/)
  await page.goto(`${world.console}/tokens?${inTest()}`)
  const token = page.getByRole('row').filter({ hasText: 'First token' })
  await token.waitFor()
  expect(await token.locator('time').first().textContent()).toMatch(/just now|min ago|h ago/)
})

it('the creation times of configuration are relative to the real time, in test mode too', async () => {
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const put = async (path: string, body: unknown) =>
    expect((await world.call('PUT', path, body, headers)).status).toBeLessThan(300)
  await put('/v1/providers/new-account', {
    kind: 'openai_compatible',
    baseUrl: 'http://localhost:9',
    apiKey: 'secret-of-account-9876',
  })
  await put('/v1/models/acme%2Fnew-model', { sources: [{ provider: 'new-account', model: 'big' }] })
  await put('/v1/routers/acme%2Fnew-router', {
    policy: 'weighted',
    targets: [{ alias: 'acme/new-model', weight: 1 }],
  })
  await put('/v1/bundles/new-bundle', { displayName: 'New bundle' })
  await put('/v1/outcomes/new-outcome', { displayName: 'New outcome', ceilingMicros: '1000' })
  for (const [place, head] of [
    ['providers?open=new-account', 'Connected'],
    ['models?open=acme%2Fnew-model', 'Added'],
    ['routers?open=acme%2Fnew-router', 'Created'],
    ['bundles?open=new-bundle', 'Created'],
    ['outcomes?open=new-outcome', 'Created'],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const { page } = await world.openConsole(`/${place}&${inTest()}`)
    const fact = page.getByRole('dialog').getByRole('term').filter({ hasText: head })
    const time = fact.locator('xpath=following-sibling::dd[1]').locator('time')
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    await expect.poll(() => time.textContent(), { message: place }).toMatch(/just now|min ago/)
  }
})

it.each(['light', 'dark'] as const)(
  'in the %s theme of the console, the preview of the portal has the colors of the selected theme',
  async (colorScheme) => {
    const { page } = await world.openConsole(`/brand?${inTest()}`, { colorScheme })
    const preview = page.locator('[data-preview]')
    await preview.waitFor()
    const colors = () =>
      preview.evaluate((one) => {
        const { backgroundColor, color } = getComputedStyle(one)
        return [backgroundColor, color]
      })
    expect(await colors()).toEqual(['rgb(255, 255, 255)', 'rgb(22, 23, 26)'])
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
    await expect.poll(colors).toEqual(['rgb(15, 16, 18)', 'rgb(241, 241, 239)'])
    await expectAccessible(page)
  },
)

it('the first field of the sign-in has the focus, and after the end of a session the password has the focus', async () => {
  const { page } = await world.openConsole(`/users?${inTest()}`, { isSignedIn: false })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await focusedLabel(page)).toBe('Email address')
  await page.keyboard.type(owner.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create end user' }).first().click()
  await page.getByRole('dialog').getByLabel('ID').fill('new-user')
  await page.context().clearCookies()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Create end user/ })
    .click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await expect.poll(() => focusedLabel(page)).toBe('Password')
})

it('if the session has ended when the window gets the focus, the form keeps the typed text during the sign-in', async () => {
  const { page } = await world.openConsole(`/users?${inTest()}`)
  await page.clock.install()
  await page.getByRole('button', { name: 'Create end user' }).first().click()
  const form = page.getByRole('dialog').first()
  await form.getByLabel('ID').fill('typed-before')
  await page.context().clearCookies()
  await page.clock.fastForward('01:01')
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  const again = page.getByRole('dialog', { name: 'Your session has ended' })
  await again.getByLabel('Password').fill(owner.password)
  await page.keyboard.press('Enter')
  await again.waitFor({ state: 'hidden' })
  expect(await form.getByLabel('ID').inputValue()).toBe('typed-before')

  // Without an open form, the page asks for a sign-in instead of reporting an error.
  await form.getByRole('button', { name: 'Cancel' }).click()
  await form.waitFor({ state: 'hidden' })
  await page.context().clearCookies()
  await page.clock.fastForward('01:01')
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

it('an empty form for an application reports the missing name, and no error of the optional slug', async () => {
  const { page } = await world.openConsole(`/apps?${inTest()}&act=new`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create application' }).click()
  await dialog.getByText('Fix the errors above.').waitFor()
  expect(await dialog.getByRole('alert').count()).toBe(1)
  await dialog.getByLabel('Name').fill('日本')
  await dialog.getByText('Enter a slug, because the name contains no letters').waitFor()
  await dialog.getByLabel('Name').fill('Nihon')
  await expect.poll(() => dialog.getByRole('alert').count()).toBe(0)
})

it('a field that was left without typing shows no error, so that one click on another button is enough', async () => {
  const { page } = await world.openConsole(`/users?${inTest()}&act=new`)
  const dialog = page.getByRole('dialog')
  await expect.poll(() => focusedLabel(page)).toBe('ID')
  await dialog.getByLabel('Email').focus()
  await shown(page)
  expect(await dialog.getByRole('alert').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => dialog.count()).toBe(0)
  await page.goto(`${world.console}/users/ada?${inTest()}`)
  await page.getByRole('button', { name: 'Grant credit' }).click()
  await dialog.getByLabel('Amount').fill('many')
  await dialog.getByLabel('Reason').focus()
  await dialog.getByRole('alert').getByText('Enter dollars').waitFor()
})

it('the action of a form is visible in a window that is lower than the form, and a long name fits the button', async () => {
  const externalId = `end-user-${'x'.repeat(110)}`
  await addPerson(world, { externalId, bundle: 'starter' })
  const viewport = { width: 800, height: 500 }
  const { page } = await world.openConsole(`/keys?${inTest()}&act=new`, { viewport })
  const action = page.getByRole('dialog').getByRole('button', { name: 'Create test key' })
  await action.waitFor()
  const isInView = (button: Element): boolean => {
    const { bottom, left } = button.getBoundingClientRect()
    return bottom <= window.innerHeight && document.elementFromPoint(left + 8, bottom - 8) === button
  }
  await expect.poll(() => action.evaluate(isInView)).toBe(true)
  await expectAccessible(page)
  await page.goto(`${world.console}/users/${externalId}?${inTest()}`)
  await page.getByRole('button', { name: 'Freeze' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: `Freeze ${externalId}` }).waitFor()
  expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
})

it('the getting-started page offers to skip only steps that are not done', async () => {
  const { page } = await world.openConsole(`/onboarding?${inTest()}`)
  await page.getByText('All 6 steps are done').waitFor()
  await shown(page)
  expect(await page.getByRole('button', { name: 'Skip for now' }).count()).toBe(0)
})

it('a past-due invoice on the home page of the portal links to the invoices, even if no payment page is set', async () => {
  const { page } = await world.openPortal('/')
  await page.getByText('An invoice is past due').waitFor()
  await page.getByRole('link', { name: 'View invoices' }).click()
  await page.getByRole('heading', { level: 1, name: 'Plan' }).waitFor()
  // The plan of the sample application includes no credit, so no credit renews.
  await page.getByText('Your plan includes no credit.').waitFor()
  expect(await page.getByText('included credit').count()).toBe(0)
})

it('the plan page of a free plan shows when the plan renews, and no next charge', async () => {
  const { page } = await world.openPortal('/plan', { endUserId: 'dennis' })
  await page.getByText('Renews on').waitFor()
  expect(await page.getByText('Next charge').count()).toBe(0)
})

it('a dialog that was opened in test mode is closed if the browser goes back to live mode', async () => {
  const name = 'in-both-modes'
  for (const mode of ['live', 'test']) {
    const headers = { 'x-svc-app': world.app, 'x-svc-mode': mode }
    // oxlint-disable-next-line no-await-in-loop -- one mode after the other
    const { status, text } = await world.call('PUT', `/v1/end-users/${name}`, { bundle: 'starter' }, headers)
    expect(status, text).toBeLessThan(300)
  }
  const { page } = await world.openConsole(`/users/${name}?app=${world.app}&tab=plan`)
  const onDemand = page.getByRole('switch', { name: 'On-demand billing' })
  await onDemand.waitFor()
  await page.getByRole('radio', { name: 'Test' }).check({ force: true })
  await page.getByRole('region', { name: 'Test mode' }).waitFor()
  await onDemand.click()
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await page.waitForURL((url) => !url.searchParams.has('mode'))
  await onDemand.waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

it('if on-demand billing cannot be turned on again with Undo, the console reports the reason', async () => {
  await addPerson(world, { externalId: 'undoes', bundle: 'starter' })
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const on = { endUserId: 'undoes', enabled: true, limitMicros: '5000000' }
  const { status, text } = await world.call('POST', '/v1/subscription/on-demand', on, headers)
  expect(status, text).toBe(200)
  const { page } = await world.openConsole(`/users/undoes?${inTest()}&tab=plan`)
  await page.getByRole('switch', { name: 'On-demand billing' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await page.context().setOffline(true)
  await undo.click()
  await page.getByText("On-demand billing couldn't be turned on. The server can't be reached.").waitFor()
})

it('Undo of turned-off on-demand billing keeps the limit of the end user and the maximum of the application', async () => {
  await addPerson(world, { externalId: 'lowers', bundle: 'starter' })
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const on = { endUserId: 'lowers', enabled: true, limitMicros: '5000000' }
  expect((await world.call('POST', '/v1/subscription/on-demand', on, headers)).status).toBe(200)
  const { page: portal } = await world.openPortal('/', { endUserId: 'lowers' })
  const onDemandOf = async () => (await asked(portal, '/v1/portal/account')).onDemand
  const lowered = await portal.evaluate(async () => {
    const { session } = await (await fetch('/v1/portal/account')).json()
    const answer = await fetch('/v1/portal/on-demand', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': session.csrfToken },
      body: JSON.stringify({ enabled: true, limitMicros: '2000000' }),
    })
    return answer.status
  })
  expect(lowered).toBe(200)
  const { page } = await world.openConsole(`/users/lowers?${inTest()}&tab=plan`)
  await page.getByRole('switch', { name: 'On-demand billing' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await onDemandOf()).enabled).toBe(true)
  expect(await onDemandOf()).toMatchObject({ limitMicros: '2000000', ceilingMicros: '5000000' })
})

it('the playground keeps a key for the mode in which the key was entered', async () => {
  const { page } = await world.openConsole(`/playground?app=${world.app}`)
  const field = page.getByLabel('Key', { exact: true })
  await field.fill('ak_sample_live_0123456789')
  await page.getByRole('radio', { name: 'Test' }).check({ force: true })
  await page.getByRole('region', { name: 'Test mode' }).waitFor()
  await expect.poll(() => field.inputValue()).toBe('')
  await field.fill('ak_sample_test_0123456789')
  await page.getByRole('radio', { name: 'Live' }).check({ force: true })
  await page.getByRole('region', { name: 'Test mode' }).waitFor({ state: 'detached' })
  await expect.poll(() => field.inputValue()).toBe('ak_sample_live_0123456789')
})

describe('the data of a session in the tab', () => {
  const signIn = async (page: Page): Promise<void> => {
    await page.getByLabel('Email address').fill(owner.email)
    await page.getByLabel('Password', { exact: true }).fill(owner.password)
    await page.keyboard.press('Enter')
  }
  const secretKey = 'ak_0123456789_test_secret'
  /** Leaves a draft in the tab's storage, and a key in the memory of the page. */
  const typeDraftAndKey = async (page: Page): Promise<void> => {
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('ID').fill('ada-draft')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    await page.getByLabel('Key', { exact: true }).fill(secretKey)
    await page.getByLabel('Prompt').fill('a private question')
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    expect(await draftsIn(page)).toMatch(/ada-draft.*a private question|a private question.*ada-draft/)
  }
  const draftsIn = (page: Page): Promise<string> =>
    page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)))
  const expectNoDraftOrKey = async (page: Page): Promise<void> => {
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await draftsIn(page)).not.toMatch(/ada-draft|private question/)
    await signIn(page)
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    await expect.poll(() => page.getByLabel('Prompt').inputValue()).toBe('Say hello.')
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('')
  }
  const openUsers = () => world.openConsole(`/users?${inTest()}&act=new`, { isSignedIn: false })

  it('a sign-out deletes drafts of forms and the key of the playground from the tab', async () => {
    const { page } = await openUsers()
    await typeDraftAndKey(page)
    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expectNoDraftOrKey(page)
  })

  it('the end of a session deletes drafts of forms and the key of the playground from the tab', async () => {
    const { page } = await openUsers()
    await typeDraftAndKey(page)
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Models', exact: true }).click()
    await expectNoDraftOrKey(page)
  })

  it('a page that is loaded after the end of the session deletes drafts of forms from the tab', async () => {
    const { page } = await openUsers()
    await typeDraftAndKey(page)
    await page.context().clearCookies()
    await page.reload()
    await expectNoDraftOrKey(page)
  })
})
