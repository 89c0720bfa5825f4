/**
 * Each page and each sheet with unusual names is accessible in both themes, has no error, runs no typed text as code,
 * and fits a phone.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startFakeProvider, type FakeProvider } from '../../support/fake-provider.ts'
import {
  sampleApp,
  desktop,
  expectAccessible,
  expectQuiet,
  expectReadable,
  openPages,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import { seed, wild } from '../../pages/product-page-data.ts'
import { buildPlaces } from '../../pages/pages-and-sheets.ts'

let world: PageWorld
let provider: FakeProvider
let scope: string

beforeAll(async () => {
  provider = await startFakeProvider()
  world = await openPages({ sampleDays: 1, callsPerDay: 4 })
  await seed(world, provider)
  scope = `app=${world.app}&mode=test`
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

it.each(buildPlaces(sampleApp))(
  'the page %s is accessible in both themes, free of errors, runs no typed text as code, and fits 320 px',
  async (_, places) => {
    const { page, ...seen } = await world.openConsole('/settings')
    for (const place of places) {
      // The tests run one after the other, because they share one browser.
      // oxlint-disable-next-line no-await-in-loop
      await page.goto(world.console + place)
      // oxlint-disable-next-line no-await-in-loop
      await shown(page)
      // oxlint-disable-next-line no-await-in-loop
      await expectAccessible(page)
      // oxlint-disable-next-line no-await-in-loop
      await expectQuiet(page, seen)
      // oxlint-disable-next-line no-await-in-loop
      await expectReadable(page, 'dark')
      // oxlint-disable-next-line no-await-in-loop
      await page.setViewportSize({ width: 320, height: 700 })
      // oxlint-disable-next-line no-await-in-loop
      await shown(page)
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
      await page.setViewportSize(desktop)
      // oxlint-disable-next-line no-await-in-loop
      await page.emulateMedia({ colorScheme: 'light' })
    }
  },
)

it('the page of bundles shows a name with markup as plain text', async () => {
  const { page } = await world.openConsole(`/bundles?${scope}`)
  await page.getByText(wild.slice(0, 20)).first().waitFor()
})

it('a page reports a missing object, with the request ID to quote', async () => {
  const { page } = await world.openConsole(`/models?app=${world.app}&open=gone`)
  await page.getByRole('dialog').getByRole('alert').getByText('not_found').waitFor()
})
