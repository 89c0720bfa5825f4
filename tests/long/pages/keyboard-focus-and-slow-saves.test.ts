/**
 * Users of the keyboard never lose the focus: not while a change is saved, not after an error, and not when the focused
 * element is removed. A dialog whose change is being saved stays open until its result is known.
 */
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPages, shown, type PageWorld } from '../../support/start-page-tests.ts'
import { addPerson, callWith, keyOf, settled } from '../../pages/portal-page-helpers.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
})
afterAll(() => world.close())

const scope = () => `app=${world.app}&mode=test`
const headers = () => ({ 'x-svc-app': world.app, 'x-svc-mode': 'test' })
const narrow = { viewport: { width: 320, height: 640 } }

const focused = (page: Page) =>
  page.evaluate(() => {
    const one = document.activeElement
    return one === null || one === document.body
      ? 'nothing'
      : (one.getAttribute('aria-label') ?? one.textContent).trim()
  })
const isFocusIn = (page: Page, selector: string) =>
  page.evaluate((within) => document.activeElement?.closest(within) !== null, selector)

/** Holds changes at a path until `release`, and then lets the server respond. */
async function hold(
  page: Page,
  path: string,
): Promise<{ readonly arrived: Promise<void>; release: () => void }> {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() === 'GET') return route.fallback()
    arrived.resolve()
    await released.promise
    await route.continue()
  })
  return { arrived: arrived.promise, release: released.resolve }
}

const failure = (route: Route) =>
  route.fulfill({
    status: 500,
    headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
    body: '{"error":{"message":"It broke.","code":"internal_error","type":"x"}}',
  })
async function failChanges(page: Page, path: string): Promise<void> {
  await page.route(`**${path}`, (route) =>
    route.request().method() === 'GET' ? route.fallback() : failure(route),
  )
}

/** Returns the kind of the question that the browser asks before a reload, and stays on the page. */
async function questionBeforeReload(page: Page): Promise<string> {
  const asked = page.waitForEvent('dialog')
  // The page does not respond while the question is open.
  const reloaded = page.evaluate(() => location.reload())
  const question = await asked
  await question.dismiss()
  await reloaded
  return question.type()
}

/** Goes back, and waits until the page has undone the step. */
async function goBackAndReturn(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let steps = 0
        addEventListener('popstate', () => {
          steps += 1
          if (steps === 2) resolve()
        })
        history.back()
      }),
  )
}

describe('while a change is being saved', () => {
  it('the dialog for a key stays open, so that the secret is always shown', async () => {
    const { page } = await world.openConsole(`/keys?${scope()}&act=new`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('End user').fill('ada')
    const { arrived, release } = await hold(page, '/v1/keys')
    await dialog.getByRole('button', { name: 'Create test key' }).click()
    await arrived
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
    release()
    await page.getByText("You won't be able to see it again").waitFor()
  })

  it('the dialog for a key stays open if the user goes back, so that the secret is always shown', async () => {
    const { page } = await world.openConsole(`/models?${scope()}`)
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('button', { name: 'Create key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('End user').fill('ada')
    const { arrived, release } = await hold(page, '/v1/keys')
    await dialog.getByRole('button', { name: 'Create test key' }).click()
    await arrived
    await goBackAndReturn(page)
    await goBackAndReturn(page)
    release()
    await page.getByText("You won't be able to see it again").waitFor()
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.evaluate(() => history.back())
    await page.waitForURL((url) => url.pathname === '/models')
  })

  it('a sheet stays open if the user goes back, so that the secret is always shown', async () => {
    const { page } = await world.openConsole(`/models?${scope()}`)
    await page.getByRole('link', { name: 'Emitters', exact: true }).click()
    await page.getByRole('button', { name: 'Add emitter' }).first().click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Name').fill('back')
    await sheet.getByLabel('URL').fill('https://hooks.example.com/usage')
    const { arrived, release } = await hold(page, '/v1/emitters')
    await sheet.getByRole('button', { name: 'Add webhook' }).click()
    await arrived
    await page.evaluate(() => history.back())
    release()
    await page.getByText("You won't be able to see it again").waitFor()
  })

  it('a confirmation and a form of a page stay open if the user goes back, so that an error is shown', async () => {
    await world.call('PUT', '/v1/bundles/spare', { displayName: 'spare' }, headers())
    const { page } = await world.openConsole(`/models?${scope()}`)
    await page.getByRole('link', { name: 'Brand and portal', exact: true }).click()
    await page.getByLabel('Support page').fill('https://help.example')
    const brand = Promise.withResolvers<void>()
    await page.route('**/v1/brand', async (route) => {
      if (route.request().method() === 'GET') return route.fallback()
      await brand.promise
      await failure(route)
    })
    await page.getByRole('button', { name: 'Save brand' }).click()
    await page.evaluate(() => history.back())
    brand.resolve()
    await page.getByRole('alert').getByText('It broke.').waitFor()
    await page.getByRole('link', { name: 'Bundles', exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'spare' }).click()
    await page.getByRole('button', { name: 'Delete bundle' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete spare?' })
    await dialog.getByRole('textbox').fill('spare')
    const deletion = Promise.withResolvers<void>()
    await page.route('**/v1/bundles/spare', async (route) => {
      if (route.request().method() === 'GET') return route.fallback()
      await deletion.promise
      await failure(route)
    })
    await dialog.getByRole('button', { name: 'Delete bundle' }).click()
    await page.evaluate(() => history.back())
    deletion.resolve()
    await dialog.getByRole('alert').getByText('It broke.').waitFor()
  })

  describe('an error is shown although, during the save, the user chose', () => {
    const places = {
      'a link': (page: Page) => page.getByRole('link', { name: 'Keys', exact: true }).click(),
      'another tab': (page: Page) => page.getByRole('tab', { name: 'Tags' }).click(),
      'another mode': (page: Page) => page.getByRole('radio', { name: 'Live' }).click({ force: true }),
      'a page with the keyboard': async (page: Page) => {
        await page.getByRole('heading', { level: 1 }).click()
        await page.keyboard.press('g')
        await page.keyboard.press('k')
      },
    }
    it.each(Object.entries(places))('%s', async (_, choose) => {
      const { page } = await world.openConsole(`/settings?${scope()}`)
      await page.getByLabel('Accepted models').fill('sample/*')
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      await page.route('**/v1/gateway', async (route) => {
        if (route.request().method() === 'GET') return route.fallback()
        arrived.resolve()
        await released.promise
        await failure(route)
      })
      await page.getByRole('button', { name: 'Save settings' }).click()
      await arrived.promise
      const before = page.url()
      await choose(page)
      released.resolve()
      await page.getByRole('alert').getByText('It broke.').waitFor()
      expect(page.url()).toBe(before)
      expect(await page.getByLabel('Accepted models').inputValue()).toBe('sample/*')
      // The page is released.
      await page.getByRole('link', { name: 'Keys', exact: true }).click()
      await page.waitForURL((url) => url.pathname === '/keys')
    })
  })

  it('the form of a sheet stays open if the user chooses another row, so that an error is shown', async () => {
    await world.call('PUT', '/v1/teams/labs', { displayName: 'Labs', payer: 'ada' }, headers())
    await world.call('PUT', '/v1/teams/works', { displayName: 'Works', payer: 'grace' }, headers())
    const { page } = await world.openConsole(`/teams?${scope()}&open=labs&act=rename`)
    const sheet = page.getByRole('dialog')
    const other = page.locator('main [data-opens]', { hasText: 'works' })
    await sheet.getByLabel('Display name').fill('Laboratories')
    const { arrived, release } = await hold(page, '/v1/teams/labs')
    await sheet.getByRole('button', { name: 'Rename team' }).click()
    await arrived
    await other.click()
    release()
    await sheet.getByRole('heading', { name: 'Laboratories' }).waitFor()
    await sheet.getByLabel('Display name').waitFor({ state: 'hidden' })
    await other.click()
    await sheet.getByRole('heading', { name: 'Works' }).waitFor()
  })

  describe('a form opens its page after the change, although another page still waits for', () => {
    const waits = {
      'a file': ['/margin?', '**/v1/margin?*', 'Download CSV'],
      'the result of a sample': ['/emitters?tab=test&', '**/v1/emitters/*/test', 'Send sample'],
    } as const
    it.each(Object.entries(waits))('%s', async (name, [place, path, button]) => {
      const sink = { kind: 'webhook', name: 'sink', url: 'https://hooks.example.com/usage' }
      const emitter = await world.call('POST', '/v1/emitters', sink, headers())
      const { page } = await world.openConsole(`${place}${scope()}&open=${emitter.body.id}`)
      await page.getByRole('button', { name: button }).waitFor()
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      await page.route(path, async (route) => {
        arrived.resolve()
        await released.promise
        await route.abort()
      })
      await page.getByRole('button', { name: button }).click()
      await arrived.promise
      await page.locator('nav').getByText('End users', { exact: true }).click()
      await page.getByRole('button', { name: 'Create end user' }).first().click()
      const id = `made-beside-${name.replaceAll(' ', '-')}`
      await page.getByRole('dialog').getByLabel('ID', { exact: true }).fill(id)
      await page.getByRole('dialog').getByRole('button', { name: 'Create end user' }).click()
      await page.waitForURL((url) => url.pathname === `/users/${id}`)
      released.resolve()
      await page.unrouteAll({ behavior: 'wait' })
    })
  })

  it('a secret that is shown once stays if the user goes back, and the browser asks before a reload', async () => {
    const { page } = await world.openConsole(`/models?${scope()}`)
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByRole('dialog').getByLabel('End user').fill('ada')
    await page.getByRole('dialog').getByRole('button', { name: 'Create test key' }).click()
    await page.locator('[data-secret]').waitFor()
    await page.evaluate(() => history.back())
    expect(await questionBeforeReload(page)).toBe('beforeunload')
    await page.locator('[data-secret]').waitFor()
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.locator('[data-secret]').waitFor({ state: 'hidden' })
    await page.evaluate(() => history.back())
    await page.waitForURL((url) => url.pathname === '/models')
  })

  it('the portal’s dialog for a key stays open if the user goes back, and the browser asks before a reload', async () => {
    await addPerson(world, { externalId: 'steps-back', bundle: 'starter', balanceMicros: '5000' })
    const { page } = await world.openPortal('/settings', { endUserId: 'steps-back' })
    await page.getByRole('link', { name: 'Keys', exact: true }).first().click()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('laptop')
    const { arrived, release } = await hold(page, '/v1/portal/keys')
    await page.keyboard.press('Enter')
    await arrived
    await page.evaluate(() => history.back())
    release()
    await page.locator('[data-secret]').waitFor()
    await page.evaluate(() => history.back())
    expect(await questionBeforeReload(page)).toBe('beforeunload')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    expect(await page.locator('[data-secret]').textContent()).toMatch(/^ak_[a-z0-9]+_\w+$/i)
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.locator('[data-secret]').waitFor({ state: 'hidden' })
    await page.evaluate(() => history.back())
    await page.waitForURL((url) => url.pathname === '/settings')
  })

  it('the portal’s dialog for a key stays open, so that the secret is always shown', async () => {
    await addPerson(world, { externalId: 'slow', bundle: 'starter', balanceMicros: '5000' })
    const { page } = await world.openPortal('/keys?act=new', { endUserId: 'slow' })
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('laptop')
    const { arrived, release } = await hold(page, '/v1/portal/keys')
    await page.keyboard.press('Enter')
    await arrived
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
    release()
    await page.getByText("You won't be able to see it again").waitFor()
  })

  it('a confirmation stays open, so that an error is shown', async () => {
    const { page } = await world.openConsole(`/users/ada?${scope()}&act=freeze`)
    const dialog = page.getByRole('dialog', { name: 'Freeze ada?' })
    const released = Promise.withResolvers<void>()
    await page.route('**/v1/end-users/ada/freeze', async (route) => {
      await released.promise
      await failure(route)
    })
    await dialog.getByRole('button', { name: 'Freeze ada' }).click()
    await page.keyboard.press('Escape')
    expect(await dialog.getByRole('button', { name: 'Go back' }).isDisabled()).toBe(true)
    released.resolve()
    await dialog.getByRole('alert').getByText('It broke.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })
})

describe('a form that is opened again after its response was lost', () => {
  const grantsOf = async (): Promise<string[]> => {
    const { body } = await world.call('GET', '/v1/grants?limit=100', undefined, headers())
    return body.data.map(({ amountUnits }: { readonly amountUnits: string }) => amountUnits)
  }
  /** The server makes the change, but neither the first response nor that of the automatic retry arrives. */
  async function loseResponse(page: Page, path: string): Promise<void> {
    let lost = 0
    await page.route(`**${path}`, async (route) => {
      if (lost === 2 || route.request().method() === 'GET') return route.fallback()
      lost++
      await route.fetch()
      await route.abort()
    })
  }

  it('grants the credit once, and another amount only after a notice', async () => {
    const before = await grantsOf()
    const { page } = await world.openConsole(`/users/grace?${scope()}`)
    const open = page.getByRole('button', { name: 'Grant credit' })
    const dialog = page.getByRole('dialog')
    await open.click()
    await dialog.getByLabel('Amount').fill('5')
    await dialog.getByLabel('Reason').fill('welcome')
    await loseResponse(page, '/v1/grants')
    await dialog.getByRole('button', { name: 'Grant $5.00' }).click()
    await dialog.getByRole('alert').getByText("The server can't be reached.").waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await open.click()
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('5')
    await dialog.getByLabel('Amount').fill('6')
    await dialog.getByRole('button', { name: 'Grant $6.00' }).click()
    await dialog.getByRole('alert').getByText('An earlier attempt with other values was saved.').waitFor()
    await dialog.getByLabel('Amount').fill('5')
    await page.reload()
    await dialog.getByRole('button', { name: 'Grant $5.00' }).waitFor()
    expect((await grantsOf()).toSorted()).toEqual([...before, '5000000'].toSorted())
    await dialog.getByRole('button', { name: 'Grant $5.00' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await grantsOf()).toSorted()).toEqual([...before, '5000000', '5000000'].toSorted())
  })

  it('grants credit from the list of grants once', async () => {
    const before = await grantsOf()
    const { page } = await world.openConsole(`/grants?${scope()}&act=new`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('End user', { exact: true }).fill('grace')
    await dialog.getByLabel('Amount').fill('7')
    await dialog.getByLabel('Reason').fill('welcome')
    await loseResponse(page, '/v1/grants')
    await dialog.getByRole('button', { name: 'Grant $7.00' }).click()
    await dialog.getByRole('alert').getByText("The server can't be reached.").waitFor()
    await page.reload()
    await dialog.getByRole('button', { name: 'Grant $7.00' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await grantsOf()).toSorted()).toEqual([...before, '7000000'].toSorted())
  })

  it('adjusts the balance once', async () => {
    const balance = async (): Promise<bigint> => {
      const { body } = await world.call('GET', '/v1/end-users/grace', undefined, headers())
      return BigInt(body.balance.balanceUnits)
    }
    const before = await balance()
    const { page } = await world.openConsole(`/users/grace?${scope()}&act=adjust`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('3')
    await dialog.getByLabel('Reason').fill('goodwill')
    await loseResponse(page, '/v1/end-users/grace/adjust')
    await dialog.getByRole('button', { name: 'Adjust balance' }).click()
    await dialog.getByRole('alert').getByText("The server can't be reached.").waitFor()
    await page.reload()
    await dialog.getByRole('button', { name: 'Adjust balance' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await balance()).toBe(before + 3_000_000n)
  })

  it('refunds a part of a request once', async () => {
    await addPerson(world, { externalId: 'refunded', bundle: 'starter', balanceMicros: '5000000' })
    expect(await callWith(world, await keyOf(world, 'refunded'))).toBe(200)
    const { body } = await world.call('GET', '/v1/requests?endUserId=refunded', undefined, headers())
    const [{ id }] = body.data
    const { page } = await world.openConsole(`/requests/${id}?${scope()}`)
    const dialog = page.getByRole('dialog', { name: 'Refund request' })
    await page.getByRole('button', { name: 'Refund request' }).click()
    await dialog.getByLabel('Amount').fill('0.000001')
    await dialog.getByLabel('Reason').fill('goodwill')
    await loseResponse(page, `/v1/requests/${id}/refund`)
    await dialog.getByRole('button', { name: 'Refund request' }).click()
    await dialog.getByRole('alert').getByText("The server can't be reached.").waitFor()
    await page.reload()
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('0.000001')
    await dialog.getByRole('button', { name: 'Refund request' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const after = await world.call('GET', `/v1/requests/${id}`, undefined, headers())
    expect(after.body.corrections).toMatchObject([{ chargeMicros: '-1' }])
  })
})

it('a double click on Undo sends one change', async () => {
  await addPerson(world, { externalId: 'undoes-twice', bundle: 'starter' })
  const on = { endUserId: 'undoes-twice', enabled: true, limitMicros: '5000000' }
  expect((await world.call('POST', '/v1/subscription/on-demand', on, headers())).status).toBe(200)
  const { page } = await world.openConsole(`/users/undoes-twice?${scope()}&tab=plan`)
  await page.getByRole('switch', { name: 'On-demand billing' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('dialog', { name: 'Turn off on-demand billing' }).waitFor({ state: 'hidden' })
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/on-demand')) sent++
  })
  await page.getByRole('button', { name: 'Undo' }).dblclick()
  await shown(page)
  expect(sent).toBe(1)
})

it('a double click on a button opens its dialog, and does not close it', async () => {
  const { page } = await world.openConsole(`/keys?${scope()}`)
  await shown(page)
  await page.getByRole('button', { name: 'Create key' }).first().dblclick()
  await shown(page)
  await page.getByRole('dialog').getByLabel('End user').waitFor()
  await page.mouse.click(5, 5)
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await addPerson(world, { externalId: 'clicks-twice', bundle: 'starter', balanceMicros: '5000' })
  const { page: portal } = await world.openPortal('/keys', { endUserId: 'clicks-twice' })
  await settled(portal)
  await portal.getByRole('button', { name: 'Create key' }).dblclick()
  await settled(portal)
  await portal.getByRole('dialog').getByLabel('Name').waitFor()
  await portal.mouse.click(5, 5)
  await portal.getByRole('dialog').waitFor({ state: 'hidden' })
})

it('a double click on the button of a new end user sends one change, and the list is below the new page', async () => {
  const { page } = await world.openConsole(`/users?${scope()}`)
  await page.getByRole('button', { name: 'Create end user' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('ID', { exact: true }).fill('made-once')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent++
  })
  // The script of the next page arrives late.
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route('**/assets/user-*.js', async (route) => {
    arrived.resolve()
    await released.promise
    await route.continue()
  })
  const create = dialog.getByRole('button', { name: /^Creat/ })
  await create.click()
  await arrived.promise
  await create.click({ force: true })
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
  released.resolve()
  await page.waitForURL((url) => url.pathname === '/users/made-once')
  expect(sent).toBe(1)
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/users')
  expect(new URL(page.url()).searchParams.has('act')).toBe(false)
})

/** Returns the text that the button copied. */
async function copiedWithoutClipboard(page: Page, button: string): Promise<string> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
    addEventListener('copy', () => {
      document.documentElement.dataset['copied'] = String(document.getSelection())
    })
  })
  await page.getByRole('button', { name: button }).press('Enter')
  await expect.poll(() => focused(page)).toBe('Copied')
  return page.evaluate(() => document.documentElement.dataset['copied'] ?? '')
}

it('if the browser denies access to the clipboard, a button in a dialog still copies, and keeps the focus', async () => {
  const { page } = await world.openConsole(`/users/ada?${scope()}&act=mint`)
  await page.getByRole('button', { name: 'Create test key' }).click()
  await page.getByText("You won't be able to see it again").waitFor()
  expect(await copiedWithoutClipboard(page, 'Copy secret')).toMatch(/^ak_/)
  await addPerson(world, { externalId: 'copies', bundle: 'starter', balanceMicros: '5000' })
  const { page: portal } = await world.openPortal('/keys?act=new', { endUserId: 'copies' })
  await portal.getByRole('dialog').getByLabel('Name').fill('laptop')
  await portal.keyboard.press('Enter')
  await portal.getByText("You won't be able to see it again").waitFor()
  expect(await copiedWithoutClipboard(portal, 'Copy key')).toMatch(/^ak_/)
})

describe('the focus', () => {
  it('stays on the button of a form after an error', async () => {
    const { page } = await world.openConsole(`/settings?${scope()}`)
    await page.getByLabel('Accepted models').fill('sample/*')
    await failChanges(page, '/v1/gateway')
    await page.getByRole('button', { name: 'Save settings' }).press('Enter')
    await page.getByRole('alert').getByText('It broke.').waitFor()
    expect(await focused(page)).toBe('Save settings')
  })

  it('stays on the button of a confirmation after an error, and a double press sends one request', async () => {
    const { page } = await world.openConsole(`/users/ada?${scope()}&act=freeze`)
    const dialog = page.getByRole('dialog', { name: 'Freeze ada?' })
    let sent = 0
    const released = Promise.withResolvers<void>()
    await page.route('**/v1/end-users/ada/freeze', async (route) => {
      sent++
      await released.promise
      await failure(route)
    })
    await dialog.getByRole('button', { name: 'Freeze ada' }).press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Space')
    released.resolve()
    await dialog.getByRole('alert').getByText('It broke.').waitFor()
    expect([sent, await focused(page)]).toEqual([1, 'Freeze ada'])
  })

  it('stays on a button of the portal after an error', async () => {
    const { page } = await world.openPortal('/settings', { endUserId: 'dennis' })
    await settled(page)
    await failChanges(page, '/v1/portal/sign-out')
    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    await page.getByRole('alert').getByText('It broke.').waitFor()
    expect(await focused(page)).toBe('Sign out')
  })

  it('stays in the content if a repeated load removes the button that was pressed', async () => {
    const { page } = await world.openConsole(`/settings?${scope()}`)
    await shown(page)
    await page.route('**/v1/keys?*', failure)
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute('**/v1/keys?*')
    await again.press('Enter')
    await page.getByRole('table', { name: 'Keys' }).waitFor()
    await shown(page)
    await expect.poll(() => isFocusIn(page, 'main')).toBe(true)
  })

  it('stays in the row of a key that was revoked in the portal', async () => {
    await addPerson(world, { externalId: 'revokes', bundle: 'starter', balanceMicros: '5000' })
    await keyOf(world, 'revokes', 'old')
    await keyOf(world, 'revokes', 'new')
    const { page } = await world.openPortal('/keys', { endUserId: 'revokes' })
    await page.getByRole('button', { name: 'Revoke old' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke old' }).press('Enter')
    await page.getByText('Revoked', { exact: true }).waitFor()
    await settled(page)
    await expect.poll(() => isFocusIn(page, 'li')).toBe(true)
    expect(await page.locator('li', { has: page.locator(':focus') }).textContent()).toContain('old')
  })

  it('stays in the sheet of a key after the key is revoked', async () => {
    await addPerson(world, { externalId: 'sheet', bundle: 'starter', balanceMicros: '5000' })
    await keyOf(world, 'sheet', 'phone')
    const { page } = await world.openConsole(`/users/sheet?${scope()}&tab=keys`)
    await page.getByRole('table', { name: 'Keys' }).locator('[data-opens]').press('Enter')
    const sheet = page.getByRole('dialog', { name: 'phone', exact: true })
    await sheet.getByRole('button', { name: 'Revoke key' }).press('Enter')
    const confirmation = page.getByRole('dialog', { name: 'Revoke phone?' })
    await confirmation.getByRole('button', { name: 'Revoke key' }).press('Enter')
    await confirmation.waitFor({ state: 'hidden' })
    await sheet.getByText('Revoked', { exact: true }).first().waitFor()
    await shown(page)
    await expect.poll(() => isFocusIn(page, '[role=dialog]')).toBe(true)
    await page.keyboard.press('Tab')
    expect(await isFocusIn(page, '[role=dialog]')).toBe(true)
  })

  it('stays in a long table after the focused row has scrolled out of the window, and arrow keys continue there', async () => {
    await addPerson(world, { externalId: 'many', bundle: 'starter', balanceMicros: '5000' })
    for (let made = 0; made < 150; made++) {
      // oxlint-disable-next-line no-await-in-loop -- one key after the other
      await keyOf(world, 'many', `key ${made}`)
    }
    const { page } = await world.openConsole(`/users/many?${scope()}&tab=keys`)
    await page.getByRole('table', { name: 'Keys' }).locator('[data-opens]').nth(2).focus()
    await page.keyboard.press('End')
    await shown(page)
    await expect.poll(() => isFocusIn(page, 'table')).toBe(true)
    await page.keyboard.press('ArrowDown')
    const isInWindow = () =>
      page.evaluate(() => {
        const one = document.activeElement
        const { bottom = 0, top = 0 } = one?.getBoundingClientRect() ?? {}
        return one?.matches('[data-opens]') === true && top >= 0 && bottom <= window.innerHeight
      })
    await expect.poll(isInWindow).toBe(true)
  })

  it('moves to the content of a portal page that a link opens', async () => {
    const { page } = await world.openPortal('/', { endUserId: 'ada' })
    await settled(page)
    await page.getByRole('link', { name: 'All requests' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
    expect(await isFocusIn(page, 'main')).toBe(true)
    await page.getByRole('link', { name: 'Usage' }).first().press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    expect(await isFocusIn(page, 'main')).toBe(true)
  })

  it('moves into the navigation menu of a small window, and back when Escape closes the menu', async () => {
    const { page } = await world.openConsole(`/keys?${scope()}`, narrow)
    await shown(page)
    const open = page.getByRole('button', { name: 'Open menu' })
    await open.press('Enter')
    await expect.poll(() => focused(page)).toBe('Close menu')
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab')
      expect(await isFocusIn(page, 'header, main')).toBe(false)
    }
    await page.getByRole('button', { name: /^Application:/ }).press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Close menu' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe('Open menu')
    await open.press('Enter')
    await page.getByRole('link', { name: 'Models', exact: true }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    await expect.poll(() => isFocusIn(page, 'main')).toBe(true)
    await open.press('Enter')
    await page.setViewportSize({ width: 1200, height: 640 })
    await page.setViewportSize({ width: 320, height: 640 })
    await open.press('Enter')
    await expect.poll(() => focused(page)).toBe('Close menu')
  })
})

it('with forced colors, which remove shadows, an overlay has an edge', async () => {
  const { page } = await world.openConsole(`/keys?${scope()}`, { forcedColors: 'active' })
  await page.getByRole('button', { name: /^Application:/ }).press('Enter')
  const menu = page.getByRole('menu')
  await menu.waitFor()
  expect(await menu.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe('solid')
})
