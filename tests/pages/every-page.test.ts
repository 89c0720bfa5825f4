/**
 * Every page of the console with a month of calls, and with an organization that has nothing: accessible in both
 * themes, quiet, still, as wide as the window, and no heavier than it may be.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pages } from '#web/console/pages.ts'
import { pagesOf } from '../../tools/web/build.ts'
import type { SeenPage } from '../support/browser.ts'
import { expectAccessible, expectQuiet, openPages, shown, type PageWorld } from '../support/pages.ts'

const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

/** A page in both themes and on a phone. */
async function expectSound({ page, ...seen }: SeenPage, address: string, title: string): Promise<void> {
  await page.setViewportSize(desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(address)
  await shown(page)
  expect(await page.title()).toBe(`${title} · Tollgate`)
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  await expectAccessible(page)
  await expectQuiet(page, seen)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  await page.setViewportSize(phone)
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(beyond, `${address} is wider than a phone`).toBeLessThanOrEqual(0)
  expect(seen.faults).toEqual([])
}

describe('with a month of calls', () => {
  let world: PageWorld
  let seen: SeenPage
  let request = ''
  beforeAll(async () => {
    world = await openPages({ demoDays: 30, callsPerDay: 4 })
    seen = await world.openConsole('/sign-in')
    const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
    const { body } = await world.call('GET', '/v1/requests?limit=1', undefined, headers)
    request = body.data[0].id
  })
  afterAll(() => world.close())

  it.each(pages)('$title ($path) is sound', async ({ path, title }) => {
    const id = path.startsWith('/requests') ? request : 'ada'
    const address = `${world.console}${path.replace('$id', id)}?app=${world.app}&mode=test`
    await expectSound(seen, address, title)
  })
})

describe('before there is anything', () => {
  let world: PageWorld
  let seen: SeenPage
  beforeAll(async () => {
    world = await openPages({ demoDays: 0 })
    seen = await world.openConsole('/sign-in')
  })
  afterAll(() => world.close())

  it.each(pages.filter(({ path }) => !path.includes('$')))('$title ($path) is sound', async ({ path, title }) => {
    await expectSound(seen, world.console + path, title)
  })
})

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
}

describe('scripts', () => {
  it('stay within what a page may weigh, beyond what every page has', async () => {
    const folder = await pagesOf('test')
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, Chunk>
    const closure = (key: string, known = new Set<string>()): ReadonlySet<string> => {
      if (!known.has(key)) {
        known.add(key)
        for (const next of manifest[key]?.imports ?? []) closure(next, known)
      }
      return known
    }
    const weightOf = (keys: Iterable<string>): number =>
      [...keys].reduce((sum, key) => {
        const file = manifest[key]?.file ?? ''
        return file.endsWith('.js') ? sum + gzipSync(readFileSync(join(folder, file))).length : sum
      }, 0)
    const shell = closure('console.html')
    const routes = Object.keys(manifest).filter((key) => /^console\/pages\/[^_]+\.tsx$/.test(key))
    const weights = routes.map((key) => {
      const own = [...closure(key)].filter((one) => !shell.has(one))
      return { key, bytes: weightOf(own) }
    })
    const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1).padStart(6)} KiB`
    console.info(
      [
        `${kib(weightOf(shell))}  what every page of the console has`,
        `${kib(weightOf(closure('portal.html')))}  first load of the portal`,
        ...weights
          .toSorted((one, other) => other.bytes - one.bytes)
          .map(({ bytes, key }) => `${kib(bytes)}  ${key.slice('console/pages/'.length)}`),
      ].join('\n'),
    )
    expect(routes.length).toBeGreaterThanOrEqual(pages.length)
    expect(weights.filter(({ bytes }) => bytes > 150 * 1024)).toEqual([])
  })
})
