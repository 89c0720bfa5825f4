/**
 * The pages that build a product, whatever people have called things: each page and each sheet is accessible in both
 * themes, has no fault, runs nothing that somebody typed, and fits a phone.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import { expectAccessible, expectQuiet, openPages, type PageWorld } from '../support/pages.ts'
import { longName, seed, wild } from './build-world.ts'

let world: PageWorld
let provider: FakeProvider
let places: readonly string[]

beforeAll(async () => {
  provider = await startFakeProvider()
  world = await openPages({ demoDays: 1, callsPerDay: 4 })
  await seed(world, provider)
  const scope = `app=${world.app}&mode=test`
  places = [
    `/models?${scope}&bundle=wild`,
    `/models?${scope}&open=${encodeURIComponent(longName)}`,
    `/models?${scope}&open=acme%2Ffine&act=price&bundle=wild`,
    `/models?${scope}&act=new`,
    `/routers?${scope}`,
    `/routers?${scope}&open=acme%2Fsmart`,
    `/routers?${scope}&open=acme%2Fsmart&act=edit`,
    `/routers?${scope}&plan=acme%2Fsmart`,
    `/providers?${scope}`,
    `/providers?app=${world.app}&open=main`,
    `/providers?app=${world.app}&act=new`,
    `/providers?app=${world.app}&view=catalogue`,
    `/bundles?${scope}`,
    `/bundles?${scope}&open=wild`,
    `/bundles?${scope}&open=wild&act=edit`,
    `/bundles?${scope}&open=wild&act=include&include=monthly`,
    `/doctor?${scope}`,
    `/onboarding?${scope}`,
  ]
}, 60_000)
afterAll(async () => {
  await world.close()
  await provider.close()
})

it('is accessible in both themes and quiet, runs nothing of it, and fits 320 px', async () => {
  const { page, ...seen } = await world.openConsole('/doctor')
  for (const place of places) {
    // One after the other: each has the browser to itself.
    // oxlint-disable-next-line no-await-in-loop
    await page.goto(world.console + place)
    // oxlint-disable-next-line no-await-in-loop
    await page.waitForLoadState('networkidle')
    for (const colorScheme of ['light', 'dark'] as const) {
      // oxlint-disable-next-line no-await-in-loop
      await page.emulateMedia({ colorScheme })
      // oxlint-disable-next-line no-await-in-loop
      await expectAccessible(page)
    }
    // oxlint-disable-next-line no-await-in-loop
    await expectQuiet(page, seen)
    // oxlint-disable-next-line no-await-in-loop
    await page.setViewportSize({ width: 320, height: 700 })
    // oxlint-disable-next-line no-await-in-loop
    const { sheet, title, width } = await page.evaluate(() => {
      const open = document.querySelector('[role="dialog"]')
      return {
        title: document.title,
        width: document.documentElement.scrollWidth,
        sheet: open === null ? true : open.scrollWidth <= open.clientWidth,
      }
    })
    expect([place, width, sheet, title.includes('owned')]).toEqual([place, 320, true, false])
    // oxlint-disable-next-line no-await-in-loop
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  await page.goto(`${world.console}/bundles?app=${world.app}&mode=test`)
  await page.getByText(wild.slice(0, 20)).first().waitFor()
}, 120_000)

it('says what is not there, with the request to quote', async () => {
  const { page } = await world.openConsole(`/models?app=${world.app}&open=gone`)
  await page.getByRole('dialog').getByRole('alert').getByText('not_found').waitFor()
})
