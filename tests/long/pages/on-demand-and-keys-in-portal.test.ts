import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addPerson, asked, callWith, keyOf, settled } from '../../pages/portal-page-helpers.ts'
import { expectAccessible, expectQuiet, openPages, type PageWorld } from '../../support/start-page-tests.ts'

const phone = { viewport: { width: 390, height: 844 } }

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 10, callsPerDay: 14 })
})
afterAll(() => world.close())

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

describe('on-demand', () => {
  it('Undo turns on-demand off again, and an end user can turn on-demand off immediately', async () => {
    await addPerson(world, { externalId: 'uma', bundle: 'starter', balanceMicros: '1000' })
    const { page } = await world.openPortal('/', { endUserId: 'uma', ...phone })
    const onDemand = async () => (await asked(page, '/v1/portal/account')).onDemand
    const toggle = page.getByRole('switch', { name: 'On-demand' })
    await toggle.click()
    await button(page, 'Turn on, up to $20 a month').click()
    await page.getByText('On-demand billing is on, up to $20.00 a month.').waitFor()
    await button(page, 'Undo').click()
    await page.getByText('Undone').waitFor()
    expect(await onDemand()).toMatchObject({ enabled: false })
    expect(await toggle.getAttribute('aria-checked')).toBe('false')

    await toggle.click()
    await page.getByLabel('Monthly limit').fill('3')
    await button(page, 'Turn on, up to $3 a month').click()
    await page.getByText('up to $3.00 a month.', { exact: false }).first().waitFor()
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true')
    await toggle.click()
    await page.getByText('Requests in progress will finish.').waitFor()
    expect(await onDemand()).toMatchObject({ enabled: false, limitMicros: '3000000' })
    await button(page, 'Undo').click()
    await expect.poll(onDemand).toMatchObject({ enabled: true, limitMicros: '3000000' })
  })

  it('on-demand in the portal never exceeds the application’s limit, and a change at the limit can also be undone', async () => {
    await addPerson(world, { externalId: 'cap', bundle: 'starter', balanceMicros: '1000' })
    const ceiling = { endUserId: 'cap', enabled: false, limitMicros: '5000000' }
    const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
    const set = await world.call('POST', '/v1/subscription/on-demand', ceiling, headers)
    expect(set.status, set.text).toBe(200)
    const { page } = await world.openPortal('/', { endUserId: 'cap', ...phone })
    const toggle = page.getByRole('switch', { name: 'On-demand' })
    await toggle.click()
    const limit = page.getByLabel('Monthly limit')
    expect(await limit.inputValue()).toBe('5')
    await limit.fill('5.01')
    await button(page, 'Turn on, up to $5.01 a month').click()
    await page.getByText('The maximum is $5.00.').waitFor()
    await limit.fill('4')
    await button(page, 'Turn on, up to $4 a month').click()
    await page.getByText('On-demand billing is on, up to $4.00 a month.').waitFor()
    await button(page, 'Undo').click()
    await page.getByText('Undone').waitFor()
    expect(await toggle.getAttribute('aria-checked')).toBe('false')
    expect((await asked(page, '/v1/portal/account')).onDemand).toMatchObject({
      enabled: false,
      ceilingMicros: '5000000',
    })
  })

  it('the on-demand switch does not change until the server has confirmed it, and shows a rejection', async () => {
    await addPerson(world, { externalId: 'wim', bundle: 'starter', balanceMicros: '1000' })
    const { page } = await world.openPortal('/limits', { endUserId: 'wim', ...phone })
    const toggle = page.getByRole('switch', { name: 'On-demand' })
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/v1/portal/on-demand', async (route) => {
      await held
      await route.continue()
    })
    await toggle.click()
    await button(page, /^Turn on, up to/).click()
    await button(page, 'Saving').waitFor()
    expect(await toggle.getAttribute('aria-checked')).toBe('false')
    release()
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true')
    await page.unroute('**/v1/portal/on-demand')
    await page.route('**/v1/portal/on-demand', (route) => route.abort())
    await toggle.click()
    await page.getByText("The on-demand setting couldn't be changed.").waitFor()
    expect(await toggle.getAttribute('aria-checked')).toBe('true')
  })

  it('a late response to an earlier request does not reset the on-demand switch', async () => {
    await addPerson(world, { externalId: 'eva', bundle: 'starter', balanceMicros: '1000' })
    const { page } = await world.openPortal('/', { endUserId: 'eva', ...phone })
    await settled(page)
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const answered = Promise.withResolvers<void>()
    await page.route(
      '**/v1/portal/account',
      async (route) => {
        // Only a browser resolves the host names of portals, so the test sends its own requests to 127.0.0.1.
        const url = new URL(route.request().url())
        const { host } = url
        url.hostname = '127.0.0.1'
        const headers = { ...(await route.request().allHeaders()), host }
        const response = await route.fetch({ url: url.href, headers })
        answered.resolve()
        await held
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await answered.promise
    const toggle = page.getByRole('switch', { name: 'On-demand' })
    await toggle.click()
    await button(page, /^Turn on, up to/).click()
    await page.getByText('On-demand billing is on, up to $20.00 a month.').waitFor()
    release()
    await settled(page)
    expect(await toggle.getAttribute('aria-checked')).toBe('true')
  })
})

it('to revoke a key, an end user must type its name only if the key was used in the last day', async () => {
  await addPerson(world, { externalId: 'rex', bundle: 'starter', balanceMicros: '100000' })
  const [used, unused] = [await keyOf(world, 'rex', 'used'), await keyOf(world, 'rex', 'unused')]
  expect(await callWith(world, used)).toBe(200)
  const { page } = await world.openPortal('/keys', { endUserId: 'rex' })
  await settled(page)
  await button(page, 'Revoke used').click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Revoke used' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByLabel('Type used to confirm').fill('used')
  await confirm.click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await callWith(world, used)).toBe(401)
  await button(page, 'Revoke unused').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke unused' }).click()
  await expect.poll(() => page.getByText('Revoked', { exact: true }).count()).toBe(2)
  expect(await callWith(world, unused)).toBe(401)
})

it('an end user replaces a key, which remains valid for the chosen time', async () => {
  await addPerson(world, { externalId: 'ron', bundle: 'starter', balanceMicros: '100000' })
  const old = await keyOf(world, 'ron', 'nightly')
  const { page, ...seen } = await world.openPortal('/keys', { endUserId: 'ron' })
  const replace = async (grace: string): Promise<string> => {
    await button(page, 'Replace nightly').click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Old key').selectOption(grace)
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Replace key' }).click()
    await form.getByText('The old key expires').waitFor()
    await form.getByRole('button', { name: 'Show' }).click()
    const key = (await form.locator('[data-secret]').textContent()) ?? ''
    await form.getByRole('button', { name: 'I have saved it' }).click()
    await form.waitFor({ state: 'detached' })
    return key
  }
  const second = await replace('Works for one more day')
  await page.getByText('replaced, expires').waitFor()
  expect([await callWith(world, old), await callWith(world, second)]).toEqual([200, 200])
  const third = await replace('Stops working immediately')
  await page.getByText('Replaced', { exact: true }).waitFor()
  expect([await callWith(world, second), await callWith(world, third)]).toEqual([401, 200])
  await expectQuiet(page, seen)
})
