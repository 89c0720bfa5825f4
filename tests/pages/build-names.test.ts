/**
 * The pages that build a product, whatever people have called things: each page and each sheet is accessible in both
 * themes, has no fault, runs nothing that somebody typed, and fits a phone.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  expectAccessible,
  expectQuiet,
  expectReadable,
  openPages,
  shown,
  type PageWorld,
} from '../support/pages.ts'
import { longName, seed, wild } from './build-world.ts'

let world: PageWorld
let provider: FakeProvider
let scope: string

/** Pages and sheets, some at a time: each is looked at in both themes and at two widths. */
const places: readonly (readonly [about: string, of: (app: string) => readonly string[]])[] = [
  [
    'models',
    () => [
      `/models?${scope}&bundle=wild`,
      `/models?${scope}&open=${encodeURIComponent(longName)}`,
      `/models?${scope}&open=acme%2Ffine&act=price&bundle=wild`,
      `/models?${scope}&act=new`,
    ],
  ],
  [
    'routers',
    () => [
      `/routers?${scope}`,
      `/routers?${scope}&open=acme%2Fsmart`,
      `/routers?${scope}&open=acme%2Fsmart&act=edit`,
      `/routers?${scope}&plan=acme%2Fsmart`,
    ],
  ],
  [
    'providers',
    (app) => [
      `/providers?${scope}`,
      `/providers?app=${app}&open=main`,
      `/providers?app=${app}&act=new`,
      `/providers?app=${app}&view=catalogue`,
    ],
  ],
  [
    'bundles',
    () => [
      `/bundles?${scope}`,
      `/bundles?${scope}&open=wild`,
      `/bundles?${scope}&open=wild&act=edit`,
      `/bundles?${scope}&open=wild&act=include&include=monthly`,
    ],
  ],
  ['the doctor and the first steps', () => [`/doctor?${scope}`, `/onboarding?${scope}`]],
]

beforeAll(async () => {
  provider = await startFakeProvider()
  world = await openPages({ demoDays: 1, callsPerDay: 4 })
  await seed(world, provider)
  scope = `app=${world.app}&mode=test`
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

it.each(places)('%s: accessible in both themes, quiet, runs nothing, fits 320 px', async (_, of) => {
  const { page, ...seen } = await world.openConsole('/settings')
  for (const place of of(world.app)) {
    // One after the other: each has the browser to itself.
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
    await page.setViewportSize({ width: 1440, height: 900 })
    // oxlint-disable-next-line no-await-in-loop
    await page.emulateMedia({ colorScheme: 'light' })
  }
})

it('shows a name with markup in it as it was written', async () => {
  const { page } = await world.openConsole(`/bundles?${scope}`)
  await page.getByText(wild.slice(0, 20)).first().waitFor()
})

it('says what is not there, with the request to quote', async () => {
  const { page } = await world.openConsole(`/models?app=${world.app}&open=gone`)
  await page.getByRole('dialog').getByRole('alert').getByText('not_found').waitFor()
})
