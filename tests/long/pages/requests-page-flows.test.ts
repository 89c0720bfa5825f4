import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { at, expectRows, listed, rows } from '../../pages/requests-page-helpers.ts'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import { testCaller } from '../../support/send-calls-in-test-mode.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 6, callsPerDay: 12 })
})
afterAll(() => world.close())

it.each([
  ['', ''],
  // A line below the chart lists the filters that do not apply to the chart.
  ['&answer=4xx', '&statusClass=4xx'],
])('the requests page does not move if all responses arrive together: %s', async (search, query) => {
  const { page, ...seen } = await world.openConsole('/healthz')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const asked = new Set<string>()
  await page.route(/\/v1\/(?:usage\/series|requests)\?/, async (route) => {
    const response = await route.fetch()
    asked.add(new URL(route.request().url()).pathname)
    await released
    await route.fulfill({ response })
  })
  await page.goto(world.console + at('/requests', search))
  await expect.poll(() => [...asked].toSorted()).toEqual(['/v1/requests', '/v1/usage/series'])
  const topOf = async () => (await page.getByRole('table', { name: 'Requests' }).boundingBox())?.y
  const before = await topOf()
  release()
  await expectRows(page, await listed(world, query))
  await shown(page)
  expect(await topOf()).toBe(before)
  await expectQuiet(page, seen)
})

it('the page of a request marks an interrupted attempt as failed', async () => {
  const id = await (await testCaller(world, 'ada')).send('[[tokens=20 cut=3]]')
  const { page, ...seen } = await world.openConsole(at(`/requests/${id}`))
  const attempt = page.getByRole('table', { name: 'Attempts' }).getByRole('row').nth(1)
  await attempt.getByText(/^200, /).waitFor()
  expect(await attempt.locator('.bg-positive').count()).toBe(0)
  expect(await attempt.locator('.bg-negative').count()).toBe(1)
  await expectQuiet(page, seen)
})

it('the requests page saves filters as views, and exports the rows as CSV', async () => {
  const { page, ...seen } = await world.openConsole(at('/requests', '&user=ada'))
  await shown(page)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save filters as view' }).click()
  await page.getByLabel('Name').fill('Of ada')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('button', { name: 'Remove filter: End user ada' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('user')).toBe(null)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Of ada', exact: true }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('user')).toBe('ada')
  const ofAda = await listed(world, '&endUserId=ada')
  await shown(page)
  await expectRows(page, ofAda)
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Export requests as CSV' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(ofAda.map(({ id }) => `"${id}"`))
  expect(lines[0]).toContain('chargeMicros')
  expect(lines[0]).toMatch(/"assumedMicros","refundedMicros"$/)
  await page.getByText(`Saved ${ofAda.length} requests to requests.csv.`).waitFor()
  await expectQuiet(page, seen)
})

it('the requests page reports new calls, and moves no rows until the user requests the new calls', async () => {
  const { page, ...seen } = await world.openConsole(at('/requests'))
  await shown(page)
  const before = await rows(page).first().locator('time').getAttribute('datetime')
  const caller = await testCaller(world, 'ada')
  const id = await caller.send()
  const pill = page.getByRole('button', { name: '1 new' })
  await pill.waitFor()
  expect(await rows(page).first().locator('time').getAttribute('datetime')).toBe(before)
  await pill.click()
  const [newest] = await listed(world)
  expect(newest?.id).toBe(id)
  await expect.poll(() => rows(page).first().locator('time').getAttribute('datetime')).toBe(newest?.createdAt)
  await expectQuiet(page, seen)
})

it('the requests page reports missing data: no matching call, and an unknown ID', async () => {
  const { page } = await world.openConsole(at('/requests', '&model=nothing-is-called-this'))
  await page.getByText('No requests match these filters').waitFor()
  await expectAccessible(page)
  await page.goto(`${world.console}${at('/requests/req_00000000000000000000000000')}`)
  await page.getByText('Request not found').waitFor()
  await page.getByText('The request may belong to the other mode or to another application.').waitFor()
  await expectAccessible(page)
})

const filterInApi: Readonly<Record<string, string>> = {
  answer: 'statusClass',
  cost: 'minCostMicros',
  key: 'keyId',
  model: 'model',
  status: 'status',
  user: 'endUserId',
}

it('links from reports open the list with the filter of the link', async () => {
  const { page, ...seen } = await world.openConsole(at('/'))
  const links = new Map<string, URL>()
  for (const [path, query] of [
    ['/', ''],
    ['/margin', '&by=key'],
    ['/explore', '&by=endUser'],
  ] as const) {
    await page.goto(`${world.console}${at(path, query)}`)
    await shown(page)
    const hrefs = await page
      .locator('main a[href*="/requests?"]')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))
    const own = new URL(page.url()).searchParams
    for (const url of hrefs.map((href) => new URL(href)))
      for (const name of url.searchParams.keys()) if (!own.has(name)) links.set(name, url)
  }
  expect([...links.keys()].toSorted()).toEqual(Object.keys(filterInApi))
  for (const [name, url] of links) {
    await page.goto(url.href)
    await shown(page)
    const value = encodeURIComponent(url.searchParams.get(name) ?? '')
    await expectRows(page, await listed(world, `&${filterInApi[name]}=${value}`))
  }
  await expectQuiet(page, seen)
})
