/** The pages of people, keys, grants, outcomes and invoices as anybody finds them: in both themes, full and empty. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, expectQuiet, openPages, shown, type PageWorld } from '../support/pages.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ demoDays: 2, callsPerDay: 6 })
})
afterAll(() => world.close())

describe('every page of these', () => {
  it('is accessible and quiet in both themes, with data and without, and at the width of a phone', async () => {
    const paths = [
      '/users',
      '/users/ada',
      '/users/ada?tab=ledger',
      '/users/ada?tab=keys',
      '/users/ada?tab=plan',
      '/keys',
      '/keys?act=new',
      '/grants',
      '/grants?act=bulk',
      '/grants?act=new',
      '/outcomes',
      '/invoices',
    ]
    for (const mode of ['test', 'live']) {
      for (const [at, path] of paths.entries()) {
        if (mode === 'live' && path.startsWith('/users/')) continue
        const seen = await world.openConsole(
          `${path}${path.includes('?') ? '&' : '?'}app=demo-month${mode === 'test' ? '&mode=test' : ''}`,
          {
            colorScheme: at % 2 === (mode === 'test' ? 0 : 1) ? 'light' : 'dark',
            viewport: at % 3 === 0 ? { width: 390, height: 844 } : { width: 1440, height: 900 },
            reducedMotion: 'reduce',
          },
        )
        await seen.page.locator('main h1').waitFor()
        await shown(seen.page)
        await expectAccessible(seen.page)
        await expectQuiet(seen.page, seen)
        expect([
          path,
          await seen.page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        ]).toEqual([path, true])
        await seen.page.context().close()
      }
    }
  })
})
