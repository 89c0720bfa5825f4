import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectAccessible,
  expectQuiet,
  expectReadable,
  openPages,
  phone,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import {
  payForTeam,
  addPerson,
  asked,
  callWith,
  keyOf,
  portalPaths,
  settled,
} from '../../pages/portal-page-helpers.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 6, callsPerDay: 8 })
  await payForTeam(world, 'ada')
})
afterAll(() => world.close())

for (const width of [390, 1440]) {
  it(`every page of the portal is accessible and free of errors in both themes at ${width} pixels`, async () => {
    const { page, ...seen } = await world.openPortal('/', { viewport: { width, height: 900 } })
    const { data } = await asked(page, '/v1/portal/requests?limit=1')
    for (const path of [...portalPaths, '/keys?act=new', `/activity/${data[0].id}`, '/nothing']) {
      await page.goto(world.portal + path)
      await settled(page)
      expect([path, await overflow(page)]).toEqual([path, 0])
      await expectAccessible(page)
      await expectQuiet(page, seen)
      await expectReadable(page, 'dark')
      await page.emulateMedia({ colorScheme: 'light' })
    }
  })
}

it('every page of the portal fits 320 pixels, with any names', async () => {
  const names = ['W'.repeat(128), '\u202Eمفتاح طويل جدا '.repeat(6), '<img src=x onerror=alert(1)>']
  await addPerson(world, { externalId: 'nan', bundle: 'starter', balanceMicros: '999999999999999' })
  await payForTeam(world, 'nan')
  const keys = []
  // Creates the keys one after the other, so that the last key is the newest.
  for (const name of names) keys.push(await keyOf(world, 'nan', name))
  expect(await callWith(world, keys[0] ?? '')).toBe(200)
  expect(await callWith(world, keys[0] ?? '', { model: 'x'.repeat(120) })).toBeGreaterThanOrEqual(400)
  const { page, ...seen } = await world.openPortal('/', {
    endUserId: 'nan',
    viewport: { width: 320, height: 640 },
  })
  const { data } = await asked(page, '/v1/portal/requests')
  // oxlint-disable-next-line typescript/no-explicit-any -- as `asked`
  const receipts = data.map((call: any) => `/activity/${call.id}`)
  for (const path of [...portalPaths, ...receipts]) {
    await page.goto(world.portal + path)
    await settled(page)
    expect([path, await overflow(page)]).toEqual([path, 0])
  }
  await page.goto(`${world.portal}/limits`)
  for (const name of names) await page.getByTitle(name, { exact: true }).waitFor()
  await page.goto(`${world.portal}/keys`)
  await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
  await page.getByRole('button', { name: /^Revoke <img/ }).click()
  expect(await overflow(page)).toBe(0)
  await expectAccessible(page)
  await expectQuiet(page, seen)
})

it('every row of the portal is large enough for a finger', async () => {
  const { page } = await world.openPortal('/', {
    viewport: phone,
    hasTouch: true,
    isMobile: true,
  })
  for (const path of portalPaths) {
    await page.goto(world.portal + path)
    await settled(page)
    const low = await page
      .locator('li > a, nav a, summary, select, input, #content button')
      .evaluateAll((all) =>
        all.flatMap((one) => {
          const { height, width } = one.getBoundingClientRect()
          // A button may be lower, because of the space around it.
          const isSmall =
            width > 0 && height < (one.matches('button') ? 24 : 48) && !one.matches('input[type=radio]')
          return isSmall ? `${one.outerHTML.slice(0, 80)} ${height}` : []
        }),
      )
    expect([path, low]).toEqual([path, []])
  }
})

function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}
