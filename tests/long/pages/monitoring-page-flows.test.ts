import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MarginOutput } from '#sdk/generated/operations.ts'
import { ask, column, microsOf, opened, where } from '../../pages/monitoring-page-helpers.ts'
import { cuttingProxy } from '../../support/proxy-that-cuts-responses.ts'
import { expectAccessible, expectQuiet, openPages, type PageWorld } from '../../support/start-page-tests.ts'

let world: PageWorld

beforeAll(async () => {
  world = await openPages({
    sampleDays: 10,
    callsPerDay: 8,
  })
})
afterAll(() => world.close())

describe('Margin', () => {
  it('the margin page shows the margin at other prices, and for each end user', async () => {
    const { page, last } = await opened(world, `/margin?${where}&range=30d`)
    const { totals } = await ask<MarginOutput>(world, last('margin', 'by=day'))
    const cost = BigInt(totals.costMicros)
    const field = page.getByLabel('Price change in percent')
    await field.fill('12.5')
    const rise = (cost * 1125n + 999n) / 1000n
    expect(await microsOf(page.locator('[data-what-if=cost]'))).toBe(rise)
    expect(await microsOf(page.locator('[data-what-if=margin]'))).toBe(
      BigInt(totals.marginMicros) - (rise - cost),
    )
    await page.keyboard.press('Enter')
    await page.waitForURL(/rise=12\.5/)
    await page.getByRole('columnheader', { name: 'Margin at +12.5' }).waitFor()
    await field.fill('much')
    await page.getByText('Enter a number from').waitFor()
    const { data } = await ask<MarginOutput>(world, last('margin', 'by=endUser'))
    const losses = data.filter((row) => row.marginMicros.startsWith('-'))
    const table = page.getByRole('table', { name: 'End users with a negative margin' })
    if (losses.length > 0) {
      expect((await column(table, 6)).map(String).toSorted()).toEqual(
        losses.map((row) => row.marginMicros).toSorted(),
      )
    } else expect(await table.count()).toBe(0)
  })

  it('the margin page exports every row as CSV', async () => {
    const { page, last } = await opened(world, `/margin?${where}&range=30d&by=model`)
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const text = await readFile(await (await coming).path(), 'utf8')
    const { data } = await ask<MarginOutput>(world, last('margin', 'by=model'))
    const [head, ...lines] = text.trimEnd().split('\r\n')
    expect(head).toMatch(/^"model","calls","revenueMicros"/)
    expect(lines.map((line) => line.split(',')[2])).toEqual(data.map((row) => row.revenueMicros))
  })
})

describe('Explore', () => {
  it('Explore can be operated by keyboard, and the address of the page contains the chart', async () => {
    const { page } = await opened(world, `/explore?${where}&range=30d`)
    await page.getByLabel('Metric').focus()
    // A letter that is typed a second later starts a new search for an option.
    await page.keyboard.press('L')
    await page.waitForURL(/metric=billed/)
    await page.getByLabel('Cumulative').focus()
    await page.keyboard.press('Space')
    await page.waitForURL(/sum=1/)
    await page.getByRole('heading', { name: 'List value, cumulative' }).waitFor()
    await page.getByLabel('Compare to previous period').check()
    await page.locator('tr[data-group=before]').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('model')
    const address = page.url()
    await page.goto(address)
    await page.getByRole('heading', { name: 'List value, cumulative' }).waitFor()
  })

  it('Explore saves charts by name', async () => {
    const { page } = await opened(world, `/explore?${where}&metric=cost&by=provider&range=30d`)
    await page.getByRole('button', { name: 'Saved charts' }).click()
    await page.getByRole('menuitem', { name: 'Save chart' }).click()
    await page.getByLabel('Name', { exact: true }).last().fill('Cost <b>of</b> accounts')
    await page.getByRole('button', { name: 'Save chart' }).click()
    await page.goto(`${world.console}/explore?${where}&range=30d`)
    await page.getByRole('button', { name: 'Saved charts' }).click()
    await page.getByRole('menuitem', { name: 'Cost <b>of</b> accounts' }).click()
    await page.waitForURL(/metric=cost/)
    expect(new URL(page.url()).searchParams.get('by')).toBe('provider')
    expect(new URL(page.url()).searchParams.get('range')).toBe('30d')
    await page.getByRole('button', { name: 'Cost <b>of</b> accounts' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Saved charts' }).waitFor()
  })

  it('Explore reports that a chart is not available if the server does not compute its sums', async () => {
    const { page } = await opened(world, `/explore?${where}&by=endUser&second=bundle`)
    await page.getByText('This combination is not available').waitFor()
    await page.goto(`${world.console}/explore?${where}&by=provider&metric=tokens-in`)
    await page.getByText('Tokens in: not available for this selection').waitFor()
  })

  it.each([
    [
      'ndjson',
      'usage',
      (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).chargeMicros),
    ],
    ['csv', 'usage', null],
    ['focus', 'focus', null],
  ] as const)('Explore exports usage as %s', async (format, columns, amounts) => {
    const { page } = await opened(world, `/explore?${where}&range=30d&act=export`)
    await page.getByLabel('Format').selectOption(format)
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download file' }).click()
    const file = await coming
    const text = await readFile(await file.path(), 'utf8')
    const asked = page.url()
    expect(asked).toContain('act=export')
    expect(file.suggestedFilename()).toMatch(
      new RegExp(`^${columns}-.*\\.${format === 'ndjson' ? 'ndjson' : 'csv'}$`),
    )
    const lines = text.trimEnd().split(/\r?\n/)
    const rows = lines.length - (format === 'ndjson' ? 0 : 1)
    expect(rows).toBeGreaterThan(20)
    const said = await page.locator('[data-export=done]').innerText()
    expect(said.replaceAll('\u2009', '')).toContain(`Done. ${rows} records`)
    if (amounts) expect(amounts(text).every((one: string) => /^\d+$/.test(one))).toBe(true)
    if (columns === 'focus') expect(lines[0]).toContain('BilledCost')
  })

  it('an interrupted export continues, and contains every record once', async () => {
    const cut = await cuttingProxy('/v1/usage/export')
    try {
      for (const format of ['ndjson', 'csv'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- a file after the other
        const { page } = await opened(world, `/explore?${where}&range=30d&act=export`, {
          proxy: { server: cut.url },
        })
        // oxlint-disable-next-line no-await-in-loop -- as above
        await page.getByLabel('Format').selectOption(format)
        cut.holdNext(3_000)
        const coming = page.waitForEvent('download')
        // oxlint-disable-next-line no-await-in-loop -- as above
        await page.getByRole('button', { name: 'Download file' }).click()
        // If the connection breaks, the browser discards data that the page has not read.
        // oxlint-disable-next-line no-await-in-loop -- as above
        await page.locator('[data-export=running]', { hasText: /^[1-9]/ }).waitFor()
        cut.cut()
        // oxlint-disable-next-line no-await-in-loop -- as above
        const text = await readFile(await (await coming).path(), 'utf8')
        const [first = '', second = ''] = cut.asked.splice(0)
        const { searchParams: before } = new URL(first, world.console)
        const { searchParams: after } = new URL(second, world.console)
        expect([before.has('after'), after.get('after')]).toEqual([false, expect.stringMatching(/^ur_/)])
        after.delete('after')
        // oxlint-disable-next-line no-await-in-loop -- as above
        const whole = await world.call('GET', `/v1/usage/export?${after}`, undefined, {
          'x-svc-app': world.app,
          'x-svc-mode': 'test',
        })
        expect(text).toBe(whole.text)
        expect(text.length).toBeGreaterThan(10_000)
      }
    } finally {
      await cut.close()
    }
  })

  it('an export stops when the user stops it', async () => {
    const { page } = await opened(world, `/explore?${where}&range=30d&act=export`)
    // Simulates a long export.
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/v1/usage/export**', async (route) => {
      await held
      await route.abort().catch(() => {})
    })
    await page.getByRole('button', { name: 'Download file' }).click()
    await page.getByRole('button', { name: 'Stop export' }).click()
    await page.getByText('Stopped. No file was created.').waitFor()
    release()
  })
})

describe('Overview', () => {
  it('the overview uses the range that a user draws with the keyboard', async () => {
    const { page } = await opened(world, `/?${where}`)
    await page.getByRole('slider', { name: /List value and provider cost/ }).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL(/from=/)
    const { searchParams } = new URL(page.url())
    const length = Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')
    expect(length % 86_400_000).toBe(0)
    expect(length).toBeGreaterThan(0)
  })

  it('each figure of the overview links to its requests', async () => {
    const { page } = await opened(world, `/?${where}`)
    const table = page.getByRole('table', { name: 'Models by spend' })
    const name = table.getByRole('link').first()
    const words = await name.innerText()
    await name.click()
    await page.waitForURL(/\/requests\?/)
    const { searchParams } = new URL(page.url())
    expect(searchParams.get('model')).toBe(words)
    expect(searchParams.get('app')).toBe(world.app)
    expect(searchParams.get('mode')).toBe('test')
  })
})

describe('prices', () => {
  it('the page of margin names the sources of models that have no price, and does not count rejected requests', async () => {
    const headers = { 'x-svc-app': 'unpriced', 'x-svc-mode': 'live' }
    const made = await world.call('PUT', '/v1/apps/unpriced', { name: 'Unpriced' })
    expect(made.status).toBeLessThan(300)
    const account = {
      kind: 'openai_compatible',
      baseUrl: 'https://api.example.com/v1',
      apiKey: 'sk-12345678',
    }
    expect((await world.call('PUT', '/v1/providers/nobody-knows', account)).status).toBeLessThan(300)
    const source = { provider: 'nobody-knows', model: 'a-model-without-a-price' }
    const added = await world.call('PUT', '/v1/models/acme%2Fnew', { sources: [source] }, headers)
    expect([added.status, added.body.status]).toEqual([added.status, 'unpriced'])
    const { page, ...seen } = await opened(world, '/margin?app=unpriced&mode=live')
    await page.getByText('1 source has no complete price').waitFor()
    await page.getByRole('link', { name: 'acme/new' }).waitFor()
    await page.getByText('No revenue in this range.').waitFor()
    expect(await page.getByRole('table', { name: /^Margin by/ }).count()).toBe(0)
    await expectAccessible(page)
    await expectQuiet(page, seen)
  })

  it('the form for a price requires each rate that an account is charged, so that no rate is assumed', async () => {
    const account = { kind: 'openai', baseUrl: 'https://api.example.com/v1', apiKey: 'sk-12345678' }
    expect((await world.call('PUT', '/v1/providers/writes-caches', account)).status).toBeLessThan(300)
    const { page, ...seen } = await opened(
      world,
      `/providers?${where}&open=writes-caches&act=price&model=a-model`,
    )
    await page.getByLabel('Input', { exact: true }).fill('1')
    await page.getByLabel('Output', { exact: true }).fill('2')
    await page.getByRole('button', { name: 'Set price' }).click()
    await page.getByText('Enter a rate, or 0 if usage is free.').waitFor()
    await page.getByLabel('Cache write', { exact: true }).fill('1.25')
    await page.getByRole('button', { name: 'Set price' }).click()
    await page.getByText('Set the price of a-model on writes-caches.').waitFor()
    await expectQuiet(page, seen)
  })
})
