import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectAccessible,
  expectQuiet,
  expectReadable,
  openPages,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'

const where = 'app=sample-month&mode=test'
let world: PageWorld

beforeAll(async () => {
  world = await openPages({ sampleDays: 10, callsPerDay: 8 })
})
afterAll(() => world.close())

it('every monitoring page is accessible in both themes, and free of errors', async () => {
  const { page, ...seen } = await world.openConsole('/healthz')
  for (const path of [
    `/?${where}`,
    `/margin?${where}&range=30d&rise=10`,
    `/explore?${where}&second=provider&compare=1`,
    `/explore?${where}&act=export`,
  ]) {
    /* oxlint-disable no-await-in-loop -- one page after the other */
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(world.console + path)
    await shown(page)
    await expectAccessible(page)
    await expectQuiet(page, seen)
    await expectReadable(page, 'dark')
    /* oxlint-enable no-await-in-loop */
  }
})

it('every monitoring page fits a phone', async () => {
  const { page, ...seen } = await world.openConsole('/healthz', { viewport: { width: 320, height: 700 } })
  for (const path of ['/', '/margin', '/explore']) {
    /* oxlint-disable no-await-in-loop -- one page after the other */
    await page.goto(`${world.console}${path}?${where}`)
    await shown(page)
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect([path, over]).toEqual([path, 0])
    await expectAccessible(page)
    await expectQuiet(page, seen)
    /* oxlint-enable no-await-in-loop */
  }
})
