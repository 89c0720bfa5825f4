import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectAccessible,
  expectAccessibleNow,
  expectQuiet,
  expectReadable,
  openPages,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import { testCaller, testHeaders, type TestCaller } from '../../support/send-calls-in-test-mode.ts'

let world: PageWorld
let caller: TestCaller
beforeAll(async () => {
  world = await openPages({ sampleDays: 1, callsPerDay: 4 })
  caller = await testCaller(world, 'ada')
})
afterAll(() => world.close())

const at = (path: string, query = ''): string => `${path}?app=${world.app}&mode=test${query}`
const api = async (path: string) => (await world.call('GET', path, undefined, testHeaders(world))).body
const rows = (page: Page): Locator => page.locator('[data-rows] tbody tr:not([aria-hidden])')
const status = (page: Page, words: string): Locator => page.getByRole('status').getByText(words)
const times = (page: Page): Promise<(string | null)[]> =>
  rows(page)
    .locator('time')
    .evaluateAll((found) => found.map((one) => one.getAttribute('datetime')))

async function begun(...ids: readonly string[]): Promise<readonly string[]> {
  const told = await Promise.all(ids.map((id) => api(`/v1/requests/${id}`)))
  return told.map(({ createdAt }) => createdAt)
}

it('the live page shows calls as they end, and does not move while the user reads a row', async () => {
  const { page, ...seen } = await world.openConsole(at('/live'))
  await shown(page)
  await status(page, 'Connected').waitFor()
  await expectAccessible(page)
  const one = await caller.send('one')
  const two = await caller.send('two')
  await expect.poll(() => times(page)).toEqual(await begun(two, one))
  await expectAccessible(page)
  await expectReadable(page, 'dark')

  await rows(page).first().hover()
  await status(page, 'Paused').waitFor()
  const three = await caller.send('three')
  const pill = page.getByRole('button', { name: '1 new' })
  await pill.waitFor()
  expect(await times(page)).toEqual(await begun(two, one))
  const focused = await page.evaluate(() => document.activeElement?.tagName)
  await pill.click()
  await expect.poll(() => times(page)).toEqual(await begun(three, two, one))
  expect(focused).toBe('BODY')

  await rows(page).first().getByRole('button').press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/requests/${three}`)
  await expectQuiet(page, seen)
})

it('the live page requests only the calls that match the filters, through one connection', async () => {
  const asked: string[] = []
  const { page, ...seen } = await world.openConsole(at('/live', '&answer=4xx'))
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await shown(page)
  await status(page, 'Connected').waitFor()
  await caller.send('fine')
  const refused = await caller.send('no such name', 'sample/none')
  await expect.poll(() => times(page)).toEqual(await begun(refused))
  expect(asked.filter((path) => path.startsWith('/v1/requests/req_'))).toEqual([])
  await expectQuiet(page, seen)
})

it('the live page resumes at the position where its connection broke, and misses nothing', async () => {
  const { page } = await world.openConsole('/healthz')
  const begins: (string | null)[] = []
  let isBroken = false
  await page.route('**/v1/requests/tail*', async (route) => {
    begins.push(await route.request().headerValue('last-event-id'))
    if (isBroken) await route.abort()
    else await route.continue()
  })
  await page.goto(world.console + at('/live'))
  await status(page, 'Connected').waitFor()
  const one = await caller.send('one')
  await expect.poll(() => times(page)).toEqual(await begun(one))
  // The changed filter opens a new connection, which fails until `isBroken` is false.
  isBroken = true
  // Suggestions need the loaded model names.
  await shown(page)
  await page.keyboard.press('/')
  await page.keyboard.type('sample/fast')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await status(page, 'Reconnecting').waitFor()
  isBroken = false
  await status(page, 'Connected').waitFor()
  const two = await caller.send('two')
  await expect.poll(() => times(page)).toEqual(await begun(two))
  expect(begins.length).toBeGreaterThan(2)
})

it('the playground makes a call like an end user, and shows its hold, its answer and its charge', async () => {
  const { page, ...seen } = await world.openConsole(at('/playground'))
  const foreign = seen.foreignRequests
  await shown(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create test key' }).click()
  await page.getByLabel('End user').fill('ada')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create test key with a $1.00 cap' }).click()
  await page.getByText('This is a test key. Requests never reach a provider.').waitFor()
  await page.getByLabel('Model').fill('sample/fast')
  await page.getByLabel('Prompt').fill('[[tokens=60 delay=20ms]]')
  for (const wire of ['Chat', 'Messages', 'Responses', 'Generate']) {
    await page.getByText(wire, { exact: true }).click()
    // The call takes several seconds, so that the user can stop it.
    await Promise.all([
      page.getByRole('button', { name: 'Stop request' }).waitFor(),
      page.getByRole('button', { name: 'Send request' }).click(),
    ])
    await status(page, 'Returned 200').waitFor()
    const why = page.getByRole('link', { name: 'Explain this charge' })
    const id = new URL(`${world.console}${await why.getAttribute('href')}`).pathname.split('/').at(-1)
    const told = await api(`/v1/requests/${id}`)
    expect(told).toMatchObject({ status: 'settled', streamed: true, endUserId: 'ada' })
    const money = page.locator('[data-meter] [data-micros]')
    await expect
      .poll(() => money.evaluateAll((found) => found.map((one) => one.getAttribute('data-micros'))))
      .toEqual([told.reserve.worstMicros, told.chargeMicros])
    expect(
      (await page.getByRole('region', { name: 'Response', exact: true }).textContent())?.length,
    ).toBeGreaterThan(20)
  }
  await expectAccessible(page)
  await expectReadable(page, 'dark')
  // Only the application's gateway is called, which is another origin.
  expect(foreign.length).toBeGreaterThan(0)
  expect(foreign.every((url) => url.startsWith(`${caller.gateway}/`))).toBe(true)
  expect(seen.faults).toEqual([])
})

it('the playground estimates the charge while the answer arrives, and then shows the actual charge', async () => {
  const { page, ...seen } = await world.openConsole(at('/playground'))
  await shown(page)
  await page.getByLabel('Key').fill(caller.key)
  await page.getByLabel('Model').fill('sample/fast')
  await page.getByLabel('Prompt').fill('[[tokens=400 delay=25ms]]')
  await page.getByLabel('Maximum output tokens').fill('1000')
  const running = page.locator('[data-running] [data-micros]')
  const meter = page.getByRole('meter', { name: 'Estimated charge compared with the hold' })
  // Watch from the start, because the call takes only seconds.
  const [words] = await Promise.all([
    meter.getAttribute('aria-valuetext'),
    page.getByRole('button', { name: 'Send request' }).click(),
  ])
  expect(words).toMatch(/^\$0\.\d+ used, \$0\.\d+ left, of \$0\.\d+$/)
  const estimates: bigint[] = []
  let hasLooked = false
  for (;;) {
    // oxlint-disable no-await-in-loop -- as it changes
    const [micros] = await running.evaluateAll((found) => found.map((one) => one.getAttribute('data-micros')))
    if (typeof micros !== 'string') break
    estimates.push(BigInt(micros))
    if (!hasLooked && new Set(estimates).size > 1) {
      await expectAccessibleNow(page)
      hasLooked = true
    }
    await page.waitForTimeout(50)
    // oxlint-enable no-await-in-loop
  }
  expect(hasLooked).toBe(true)
  await status(page, 'Returned 200').waitFor()
  const why = page.getByRole('link', { name: 'Explain this charge' })
  const id = new URL(`${world.console}${await why.getAttribute('href')}`).pathname.split('/').at(-1)
  const told = await api(`/v1/requests/${id}`)
  const money = page.locator('[data-meter] [data-micros]')
  await expect
    .poll(() => money.evaluateAll((found) => found.map((one) => one.getAttribute('data-micros'))))
    .toEqual([told.reserve.worstMicros, told.chargeMicros])
  const held = BigInt(told.reserve.worstMicros)
  await page.getByRole('meter', { name: 'Charge compared with the hold', exact: true }).waitFor()
  expect(new Set(estimates).size).toBeGreaterThan(1)
  expect(estimates.every((one, n) => one >= (estimates[n - 1] ?? 0n) && one <= held)).toBe(true)
  expect(seen.faults).toEqual([])
})

it('the playground stops a call, and shows the error of each wire', async () => {
  const { page, ...seen } = await world.openConsole(at('/playground'))
  await shown(page)
  await page.getByRole('button', { name: 'Send request' }).click()
  await page.getByText('Paste a key, or create a test key.').waitFor()
  await page.getByLabel('Key').fill(caller.key)
  await page.getByLabel('Prompt').fill('[[tokens=2000 delay=50ms]]')
  await page.getByRole('button', { name: 'Send request' }).click()
  await page.getByRole('region', { name: 'Response', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Stop request' }).click()
  await status(page, 'Stopped').waitFor()

  await page.getByLabel('Prompt').fill('Hello')
  const chip = page.getByRole('button', { name: '[[fail=429]]' })
  await chip.click()
  expect(await page.getByLabel('Prompt').inputValue()).toBe('Hello [[fail=429]]')
  await page.getByRole('button', { name: 'Send request' }).click()
  await status(page, 'Failed, 429').waitFor()
  await page.getByText('The gateway returned 429').waitFor()
  const shape = await page.getByRole('region', { name: 'Error response' }).textContent()
  expect(JSON.parse(shape ?? '')).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
  await expectAccessible(page)

  await page.getByText('Python', { exact: true }).click()
  const region = page.getByRole('region', { name: 'This request in python' })
  const code = (await region.textContent()) ?? ''
  // A long line ends before its copy button, at any page width.
  for (const width of [390, 1440]) {
    // oxlint-disable-next-line no-await-in-loop -- one page
    await page.setViewportSize({ width, height: 900 })
    // oxlint-disable-next-line no-await-in-loop -- as above
    const [block, button] = await Promise.all([
      region.boundingBox(),
      page.getByRole('button', { name: 'Copy: This request in python' }).boundingBox(),
    ])
    expect(block && button && block.x + block.width <= button.x).toBe(true)
  }
  expect(code).toContain('from openai import OpenAI')
  expect(code).not.toContain(caller.key)
  // The browser logs a rejected call as a network error.
  expect(seen.faults.every((fault) => fault.includes('429'))).toBe(true)
})
