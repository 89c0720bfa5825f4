import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  desktop,
  expectAccessible,
  expectQuiet,
  expectReadable,
  openPages,
  phone,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import { sellPlaces } from '../../pages/pages-and-sheets.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
})
afterAll(() => world.close())

describe('every page of end users, keys, grants, outcomes and invoices', () => {
  it('every page of end users, keys, grants, outcomes and invoices is accessible and free of errors, with data, without data, and on a phone', async () => {
    const { page, ...seen } = await world.openConsole('/healthz', { reducedMotion: 'reduce' })
    for (const mode of ['test', 'live']) {
      for (const [at, path] of sellPlaces.entries()) {
        if (mode === 'live' && path.startsWith('/users/')) continue
        const scope = `app=sample-month${mode === 'test' ? '&mode=test' : ''}`
        await page.setViewportSize(at % 3 === 0 ? phone : desktop)
        await page.goto(`${world.console}${path}${path.includes('?') ? '&' : '?'}${scope}`)
        await page.locator('main h1').waitFor()
        await shown(page)
        await expectAccessible(page)
        await expectQuiet(page, seen)
        expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([
          path,
          true,
        ])
        await expectReadable(page, at % 2 === 0 ? 'dark' : 'light')
      }
    }
  })
})
