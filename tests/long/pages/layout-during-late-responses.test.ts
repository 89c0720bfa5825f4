/**
 * On a slow network, each part of a page has reserved space before its data arrives, or appears below the existing
 * content.
 */
import { describe, expect, it } from 'vitest'
import { pages } from '#web/console/pages.ts'
import { seed as seedBuild } from '../../pages/product-page-data.ts'
import { buildPlaces, sellPlaces } from '../../pages/pages-and-sheets.ts'
import { payForTeam, asked, portalPaths } from '../../pages/portal-page-helpers.ts'
import type { SeenPage } from '../../support/open-browser.ts'
import { startFakeProvider } from '../../support/fake-provider.ts'
import { expectQuiet, openPages, phone, shown } from '../../support/start-page-tests.ts'
import { randomFrom, seedOfRun, withSeed } from '../../support/seeded-random.ts'

/** Maximum delay of a response, in milliseconds. */
const mostMs = Number(process.env['LATE_MS'] ?? 300)
const seed = seedOfRun()
const lateness = (): (() => number) => {
  const random = randomFrom(seed)
  return () => random.next() * mostMs
}

async function expectStill({ page, ...seen }: SeenPage, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    // The tests run one after the other, because they share one browser.
    // oxlint-disable-next-line no-await-in-loop
    await page.goto(address)
    // oxlint-disable-next-line no-await-in-loop
    await shown(page)
    // oxlint-disable-next-line no-await-in-loop
    await expectQuiet(page, seen)
  }
}

describe('existing content does not move when responses arrive late', () => {
  it(`no content moves on any page of the console (SEED=${seed})`, async () => {
    const world = await openPages({ callsPerDay: 2 })
    const provider = await startFakeProvider()
    const scope = `app=${world.app}&mode=test`
    const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
    const { body } = await world.call('GET', '/v1/requests?limit=1', undefined, headers)
    const idOf = (path: string): string => (path.startsWith('/requests') ? body.data[0].id : 'ada')
    await seedBuild(world, provider)
    const places = [
      ...pages.map(({ path }) => `${path.replace('$id', idOf(path))}?${scope}`),
      ...sellPlaces.map((path) => `${path}${path.includes('?') ? '&' : '?'}${scope}`),
      ...buildPlaces(world.app).flatMap(([, of]) => of),
    ]
    const seen = await world.openConsole('/healthz', { lateMs: lateness() })
    await withSeed(seed, () =>
      expectStill(
        seen,
        places.map((path) => world.console + path),
      ),
    )
    expect(places.length).toBeGreaterThan(50)
    await world.close()
    await provider.close()
  })

  it(`no content moves on any page of the portal (SEED=${seed})`, async () => {
    const world = await openPages({ sampleDays: 6, callsPerDay: 8 })
    await payForTeam(world, 'ada')
    const seen = await world.openPortal('/', { lateMs: lateness(), viewport: phone })
    const { data } = await asked(seen.page, '/v1/portal/requests?limit=1')
    const paths = [...portalPaths, '/keys?act=new', `/activity/${data[0].id}`]
    await withSeed(seed, () =>
      expectStill(
        seen,
        paths.map((path) => world.portal + path),
      ),
    )
    await world.close()
  })
})
