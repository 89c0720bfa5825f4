import { readFileSync } from 'node:fs'
import { OpenAI } from 'openai'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, expectQuiet, openPages, type PageWorld } from '../support/start-page-tests.ts'
import { addPerson, asked, gatewayOf, keyOf, microsIn, settled } from './portal-page-helpers.ts'

const phone = { viewport: { width: 390, height: 844 } }

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 10, callsPerDay: 14 })
})
afterAll(() => world.close())

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

it('an end user creates a key, makes a call, reads the receipt, enables on-demand, reaches the cap and reads the reason', async () => {
  await addPerson(world, { externalId: 'pia', bundle: 'starter', balanceMicros: '700' })
  const { page, ...seen } = await world.openPortal('/', { endUserId: 'pia', ...phone })
  await settled(page)
  expect(await microsIn(page, '[data-balance]')).toEqual(['700'])

  await link(page, 'Create a key').click()
  await page.getByLabel('Name').fill('laptop')
  await button(page, 'Create key laptop').click()
  const dialog = page.getByRole('dialog', { name: 'Save your key laptop' })
  await dialog.getByText('Copy it now').waitFor()
  // No accidental key press or click closes the dialog, and the secret is hidden until the user reveals it.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  expect(await dialog.locator('[data-secret]').textContent()).toMatch(/^ak_.+_•+$/)
  await button(page, 'Show').click()
  const apiKey = (await dialog.locator('[data-secret]').textContent()) ?? ''
  const gateway = await gatewayOf(world)
  await expect.poll(() => dialog.getByRole('region').textContent()).toContain(`baseURL: '${gateway}/v1'`)
  for (const [client, has] of [
    ['Anthropic', `baseURL: '${gateway}'`],
    ['Gemini', `baseUrl: '${gateway}'`],
    ['Claude Code', `ANTHROPIC_BASE_URL=${gateway}\n`],
  ] as const) {
    await dialog.getByLabel('Client').selectOption(client)
    expect(await dialog.getByRole('region').textContent()).toContain(has)
    expect(await dialog.getByRole('region').textContent()).toContain(apiKey)
  }
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download .env').click()])
  expect(readFileSync(await file.path(), 'utf8')).toContain(`OPENAI_API_KEY=${apiKey}`)
  await button(page, 'I have saved it').click()
  await page.getByText(/Never used/).waitFor()
  expect(await page.content()).not.toContain(apiKey)

  const openai = new OpenAI({ apiKey, baseURL: `${gateway}/v1`, maxRetries: 0 })
  const call = (tokens: number) =>
    openai.chat.completions
      .create({
        model: 'sample/fast',
        max_tokens: tokens,
        messages: [{ role: 'user', content: `Hi [[tokens=${tokens}]]` }],
      })
      .withResponse()
  const { request_id: firstId } = await call(40)

  await link(page, 'Home').first().click()
  await settled(page)
  await page.getByRole('list', { name: 'Latest requests' }).getByRole('link').first().click()
  await settled(page)
  const receipt = await asked(page, `/v1/portal/requests/${firstId}`)
  expect(new URL(page.url()).pathname).toBe(`/activity/${firstId}`)
  expect(await microsIn(page, '#content')).toContain(receipt.chargeMicros)
  expect(await page.locator('[data-lines=charge] li').allTextContents()).toEqual([
    expect.stringMatching(/^\d+ input tokens at \$1\.30 per million\$0\.0000/),
    '40 output tokens at $5.20 per million$0.000208',
    expect.stringMatching(/^Total, rounded up\$/),
  ])

  const refused = await untilRefused(call)
  expect(refused).toMatchObject({ status: 402 })
  await page.goto(`${world.portal}/activity/${refused.requestID}`)
  await page.getByText('Not enough credit was left').waitFor()
  await page.getByText('You were not charged.').waitFor()
  await link(page, /Turn on on-demand/).click()
  await settled(page)
  const toggle = page.getByRole('switch', { name: 'On-demand' })
  expect(await toggle.getAttribute('aria-checked')).toBe('false')
  await toggle.click()
  const limit = page.getByLabel('Monthly limit')
  expect(await limit.inputValue()).toBe('20')
  await button(page, 'Turn on, up to $20 a month').waitFor()
  await limit.fill('')
  await button(page, /^Turn on/).click()
  await page.getByText('Enter dollars').waitFor()
  await limit.fill('0.01')
  await button(page, 'Turn on, up to $0.01 a month').click()
  await page.getByText('On-demand billing is on, up to $0.01 a month.').waitFor()
  expect(await toggle.getAttribute('aria-checked')).toBe('true')
  expect(await asked(page, '/v1/portal/account')).toMatchObject({
    onDemand: { enabled: true, limitMicros: '10000' },
  })

  await call(400)
  const capped = await untilRefused(call)
  expect(capped).toMatchObject({ status: 402, code: 'spend_limit_exceeded' })
  await page.goto(`${world.portal}/activity/${capped.requestID}`)
  await page.getByText('Your monthly on-demand limit was reached').waitFor()
  await page.getByText(/ This request needs up to \$0\.0\d+\./).waitFor()
  await link(page, 'Raise your monthly limit').waitFor()
  await expectAccessible(page)
  await expectQuiet(page, seen)

  await page.goto(`${world.portal}/ledger`)
  await settled(page)
  const account = await asked(page, '/v1/portal/account')
  expect(await microsIn(page, '[data-sum]')).toEqual([account.balance.balanceMicros])
  await page.getByLabel('Entries for').selectOption('all')
  await page
    .getByText(/On-demand, \d{4}-\d{2}/)
    .first()
    .waitFor()
})

/** @returns the rejection */
async function untilRefused(
  call: (tokens: number) => Promise<unknown>,
): Promise<InstanceType<typeof OpenAI.APIError>> {
  for (let calls = 0; calls < 40; calls++) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, until there is nothing left
      await call(400)
    } catch (error) {
      if (error instanceof OpenAI.APIError) return error
      throw error
    }
  }
  throw new Error('40 calls were not refused')
}

describe('the numbers in the portal', () => {
  it('the numbers on a portal page equal the numbers of the API', async () => {
    const { page } = await world.openPortal('/', { endUserId: 'grace' })
    await settled(page)
    const [account, usage, calls] = await Promise.all(
      ['account', 'usage', 'requests?limit=5'].map((path) => asked(page, `/v1/portal/${path}`)),
    )
    expect(await microsIn(page, '[data-balance]')).toEqual([account.balance.availableMicros])
    expect(await microsIn(page, '[aria-label="Latest requests"]')).toEqual(
      calls.data.flatMap((call: { status: string; chargeMicros: string }) =>
        call.status === 'settled' ? call.chargeMicros : [],
      ),
    )

    await page.goto(`${world.portal}/usage`)
    await settled(page)
    expect(await microsIn(page, '[data-totals]')).toEqual([usage.totals.billedMicros])
    expect(await microsIn(page, '[aria-label="Usage by model"]')).toEqual(
      usage.rows.map(({ billedMicros }: { billedMicros: string }) => billedMicros),
    )
    const byDay = await microsIn(page, '[aria-label="Usage by day"]')
    expect(byDay.reduce((sum, one) => sum + BigInt(one), 0n)).toBe(BigInt(usage.totals.billedMicros))

    // The filter applies to all parts of the page, and the page's address contains the filter.
    const [{ requestedModel }] = usage.rows
    await page.getByLabel('Model', { exact: true }).selectOption(requestedModel)
    // The time advances, so record the query that the page sends.
    let query = ''
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === '/v1/portal/usage' && search !== '') query = search
    })
    await page.getByLabel('Date range').selectOption('7d')
    await settled(page)
    expect(new URL(page.url()).search).toBe(`?model=${encodeURIComponent(requestedModel)}&range=7d`)
    const { from, to } = Object.fromEntries(new URLSearchParams(query))
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(7 * 86_400_000)
    const week = await asked(page, `/v1/portal/usage${query}`)
    const own = week.rows.find((row: { requestedModel: string }) => row.requestedModel === requestedModel)
    await expect.poll(() => microsIn(page, '[data-totals]')).toEqual([own?.billedMicros ?? '0'])
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download CSV').click()])
    const rows = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
      .slice(1)
    const sum = rows.reduce(
      (all, row) => all + BigInt((row.split(',').at(-1) ?? '').replaceAll(/[".]/g, '')),
      0n,
    )
    expect(sum).toBe(BigInt(own?.billedMicros ?? '0'))
  })

  it('the amounts in the ledger add up, on the page and in a statement', async () => {
    const { page } = await world.openPortal('/ledger', { endUserId: 'grace' })
    await settled(page)
    const { balance } = await asked(page, '/v1/portal/account')
    const isSound = async (): Promise<void> => {
      const entries = await microsIn(page, '[data-entry]')
      const amounts = entries.filter((_, at) => at % 2 === 0).map(BigInt)
      const [rest = '0'] = await microsIn(page, '[data-rest]')
      expect(await microsIn(page, '[data-sum]')).toEqual([balance.balanceMicros])
      expect(amounts.reduce((sum, one) => sum + one, BigInt(rest))).toBe(BigInt(balance.balanceMicros))
    }
    await isSound()
    const more = button(page, 'Show more entries')
    for (let pages = 0; pages < 20 && (await more.count()) > 0; pages++) {
      const before = await page.locator('[data-entry]').count()
      await more.click()
      await expect.poll(() => page.locator('[data-entry]').count()).toBeGreaterThan(before)
      await isSound()
    }
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download CSV').click()])
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
      .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')))
    expect(lines[1]?.[1]).toBe('opening balance')
    expect(lines.at(-1)?.[1]).toBe('closing balance')
    const [opening, ...cells] = lines
      .slice(1)
      .map((line, at, all) => line[at === 0 || at === all.length - 1 ? 3 : 2])
    const micros = (text = ''): bigint => BigInt(text.replace('.', ''))
    const moved = cells.slice(0, -1).reduce((sum, one) => sum + micros(one), micros(opening))
    expect(moved).toBe(micros(cells.at(-1)))
  })
})

describe('a list after “Show more”', () => {
  /** Records the numbers of rows that the page has shown. */
  const watchRows = (page: Page, rows: string): Promise<void> =>
    page.evaluate((selector) => {
      const counts = new Set<number>()
      const note = (): void => void counts.add(document.querySelectorAll(selector).length)
      note()
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
      Object.assign(globalThis, { shownCounts: counts })
    }, rows)
  const counts = (page: Page): Promise<number[]> =>
    page.evaluate(() => [...(globalThis as unknown as { shownCounts: Set<number> }).shownCounts])

  const grant = async (): Promise<void> => {
    const body = { endUsers: ['many-entries'], amountUnits: '5', reason: 'welcome' }
    await world.call('POST', '/v1/grants', body, { 'x-svc-app': world.app, 'x-svc-mode': 'test' })
  }
  const openLedger = async (): Promise<Page> => {
    const { page } = await world.openPortal('/ledger', { endUserId: 'many-entries' })
    await settled(page)
    return page
  }
  beforeAll(async () => {
    await addPerson(world, { externalId: 'many-entries', bundle: 'starter' })
    for (let made = 0; made < 60; made++) {
      // oxlint-disable-next-line no-await-in-loop -- each grant is an entry
      await grant()
    }
  })

  it('the list of ledger entries keeps its length when the page reloads its data', async () => {
    const page = await openLedger()
    await settled(page)
    const rows = page.locator('[data-entry]')
    expect(await rows.count()).toBe(50)
    await button(page, 'Show more entries').click()
    await expect.poll(() => rows.count()).toBeGreaterThan(50)
    const all = await rows.count()
    await watchRows(page, '[data-entry]')
    await grant()
    const newest = await rows.first().getAttribute('data-entry')
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await expect.poll(() => rows.first().getAttribute('data-entry')).not.toBe(newest)
    expect(Math.min(...(await counts(page)))).toBe(all)
    const ids = await rows.evaluateAll((found) => found.map((one) => (one as HTMLElement).dataset['entry']))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('the list of keys keeps its length when a key of its second page is revoked', async () => {
    await addPerson(world, { externalId: 'many-keys', bundle: 'starter', balanceMicros: '700' })
    await keyOf(world, 'many-keys', 'oldest')
    for (let made = 0; made < 55; made++) {
      // oxlint-disable-next-line no-await-in-loop -- the order of the keys must be known
      await keyOf(world, 'many-keys', `newer ${made}`)
    }
    const { page } = await world.openPortal('/keys', { endUserId: 'many-keys' })
    await settled(page)
    await button(page, 'Show more keys').click()
    const oldest = page.getByRole('listitem').filter({ hasText: 'oldest' })
    await oldest.waitFor()
    await watchRows(page, '[aria-label="Keys"] > *')
    await oldest.getByRole('button', { name: 'Revoke oldest' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke oldest' }).click()
    await oldest.getByText('Revoked', { exact: true }).waitFor()
    expect(await counts(page)).toEqual([56])
  })

  it('if more rows can’t be loaded, the error and a retry are at the button', async () => {
    const page = await openLedger()
    await page.route(/cursor=/, (route) => route.abort())
    await button(page, 'Show more entries').click()
    const alert = page.getByRole('alert')
    await alert.getByText("More entries couldn't be loaded.").waitFor()
    const list = await page.getByRole('list', { name: 'Entries' }).boundingBox()
    const note = await alert.boundingBox()
    expect(note?.y).toBeGreaterThan((list?.y ?? 0) + (list?.height ?? 0) - 1)
    await page.unroute(/cursor=/)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => page.locator('[data-entry]').count()).toBeGreaterThan(50)
    expect(await alert.count()).toBe(0)
  })
})

it('the portal shows the limits of the end user, the counted usage, and the time when each limit resets', async () => {
  await addPerson(world, { externalId: 'lim', bundle: 'starter', balanceMicros: '100000' })
  const set = await world.call(
    'PUT',
    '/v1/end-users/lim/limit',
    {
      limits: [
        { measure: 'requests', window: 'month', most: '2' },
        { measure: 'tokens', window: 'total', most: '1000000', models: ['sample/*'] },
        { measure: 'calls', most: '4' },
      ],
    },
    { 'x-svc-app': world.app, 'x-svc-mode': 'test' },
  )
  expect(set.status, set.text).toBe(200)
  const key = await keyOf(world, 'lim')
  const openai = new OpenAI({ apiKey: key, baseURL: `${await gatewayOf(world)}/v1`, maxRetries: 0 })
  await openai.chat.completions.create({
    model: 'sample/fast',
    max_tokens: 20,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const { page, ...seen } = await world.openPortal('/limits', { endUserId: 'lim', ...phone })
  await settled(page)
  await page.getByRole('heading', { name: 'Your limits' }).waitFor()
  const { rates } = await asked(page, '/v1/portal/account')
  const usedOf = (name: string) => page.getByRole('meter', { name }).getAttribute('aria-valuetext')
  expect(await usedOf('Requests per month')).toBe('1 used, 1 left, of 2')
  expect(await usedOf('Tokens in total for sample/*')).toContain(`${rates[1].used} used`)
  expect(await usedOf('Requests in flight')).toBe('0 used, 4 left, of 4')
  const notes = await page.locator('[data-rate]').allTextContents()
  expect(notes[0]).toMatch(/more is available (?:on 1 \w{3}|at 00:00 UTC)/)
  expect(notes[1]).toContain('never resets')
  expect(notes[2]).toContain('more is available when a request ends')
  await expectAccessible(page)
  await expectQuiet(page, seen)
})

it('the portal can be used with only the keyboard', async () => {
  await addPerson(world, { externalId: 'kay', bundle: 'starter', balanceMicros: '5000' })
  const { page, ...seen } = await world.openPortal('/keys', { endUserId: 'kay', ...phone })
  await settled(page)
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
  const tabTo = async (words: string): Promise<void> => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab')
      if ((await focused()) === words) return
    }
    throw new Error(`${words} cannot be reached`)
  }
  /** The dialog's code loads when the dialog is first opened, and then the dialog takes the focus. */
  const inDialog = () =>
    expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('dialog, [role=dialog]') !== null))
      .toBe(true)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to content')
  await tabTo('Create key')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(focused).toBe('Create key')
  await page.keyboard.press('Enter')
  await inDialog()
  await page.keyboard.type('nightly')
  await page.keyboard.press('Enter')
  await page.getByText('Copy it now').waitFor()
  await tabTo('I have saved it')
  await page.keyboard.press('Enter')
  await page.getByText('nightly').first().waitFor()
  await tabTo('Revoke nightly')
  await page.keyboard.press('Enter')
  await inDialog()
  if ((await focused()) !== 'Revoke nightly') await tabTo('Revoke nightly')
  await page.keyboard.press('Enter')
  await page.getByText('Revoked', { exact: true }).waitFor()

  await page.goto(world.portal)
  await settled(page)
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.getAttribute('role') === 'switch')) break
  }
  await page.keyboard.press('Space')
  await inDialog()
  await page.keyboard.press('Enter')
  await page.getByText('On-demand billing is on, up to $20.00 a month.').waitFor()
  await expectQuiet(page, seen)
})
