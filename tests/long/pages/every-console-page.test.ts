/**
 * Each page is accessible in both themes, free of errors and layout shifts, as wide as the window, and within its size
 * limit.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pages } from '#web/console/pages.ts'
import { pagesOf } from '../../../tools/web/build.ts'
import type { SeenPage } from '../../support/open-browser.ts'
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

async function expectSound({ page, ...seen }: SeenPage, address: string, title: string): Promise<void> {
  await page.setViewportSize(desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(address)
  await shown(page)
  expect(await page.title()).toBe(`${title} · Tollgate`)
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  await expectAccessible(page)
  await expectQuiet(page, seen)
  await expectReadable(page, 'dark')
  await page.setViewportSize(phone)
  await shown(page)
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(beyond, `${address} is wider than a phone`).toBeLessThanOrEqual(0)
  expect(seen.faults).toEqual([])
}

describe('with a month of calls', () => {
  let world: PageWorld
  let seen: SeenPage
  let request = ''
  beforeAll(async () => {
    world = await openPages({ sampleDays: 30, callsPerDay: 2 })
    seen = await world.openConsole('/sign-in')
    const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
    const { body } = await world.call('GET', '/v1/requests?limit=1', undefined, headers)
    request = body.data[0].id
  })
  afterAll(() => world.close())

  it.each(pages)(
    'with data, the page $title ($path) is accessible, free of errors and shifts, and fits the window',
    async ({ path, title }) => {
      const id = path.startsWith('/requests') ? request : 'ada'
      const address = `${world.console}${path.replace('$id', id)}?app=${world.app}&mode=test`
      await expectSound(seen, address, path.endsWith('$id') ? `${id} · ${title}` : title)
    },
  )
})

describe('before any data exists', () => {
  let world: PageWorld
  let seen: SeenPage
  beforeAll(async () => {
    world = await openPages({ sampleDays: 0 })
    seen = await world.openConsole('/sign-in')
  })
  afterAll(() => world.close())

  it.each(pages.filter(({ path }) => !path.includes('$')))(
    'without data, the page $title ($path) is accessible, free of errors and shifts, and fits the window',
    async ({ path, title }) => {
      await expectSound(seen, world.console + path, title)
    },
  )
})

describe('the size of scripts', () => {
  it('the scripts that a page loads in addition to the shared scripts stay within the page’s size limit', async () => {
    const folder = await pagesOf('test')
    const textOf = (file: string): string => readFileSync(join(folder, 'assets', file), 'utf8')
    const named = (text: string, pattern: RegExp): readonly string[] =>
      [...text.matchAll(pattern)].map(([, file = '']) => file)
    const closure = (files: readonly string[], known = new Set<string>()): ReadonlySet<string> => {
      for (const file of files.filter((one) => !known.has(one))) {
        known.add(file)
        closure(named(textOf(file), /(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g), known)
      }
      return known
    }
    const weightOf = (files: Iterable<string>): number =>
      [...files].reduce((sum, file) => sum + gzipSync(textOf(file)).length, 0)
    const firstOf = (document: string): ReadonlySet<string> => {
      const text = readFileSync(join(folder, document), 'utf8')
      return closure(named(text, /\/assets\/([\w.-]+\.js)"/g))
    }
    const shell = firstOf('console.html')
    const routes = [...shell].flatMap((file) =>
      named(textOf(file), /import\(\s*["'`]\.\/([\w.-]+\.js)["'`]/g),
    )
    const weights = [...new Set(routes)].map((file) => {
      const own = [...closure([file])].filter((one) => !shell.has(one))
      return { file, kib: weightOf(own) / 1024 }
    })
    const line = (kib: number, what: string): string => `${kib.toFixed(1).padStart(6)} KiB  ${what}`
    console.info(
      [
        line(weightOf(shell) / 1024, 'what every page of the console has'),
        line(weightOf(firstOf('portal.html')) / 1024, 'first load of the portal'),
        ...weights.toSorted((one, other) => other.kib - one.kib).map(({ file, kib }) => line(kib, file)),
      ].join('\n'),
    )
    expect(shell.size).toBeGreaterThan(0)
    expect(weights.length).toBeGreaterThanOrEqual(pages.length)
    expect(weights.filter(({ kib }) => kib > 150)).toEqual([])
  })
})
