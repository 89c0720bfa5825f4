import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MarginOutput } from '#sdk/generated/operations.ts'
import type { UsageSeries } from '#sdk/generated/types.ts'
import { expectAccessible, expectQuiet, openPages, type PageWorld } from '../support/start-page-tests.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'
import { ask, column, microsOf, opened, sum, where } from './monitoring-page-helpers.ts'

type Totals = UsageSeries['all']['totals']
let world: PageWorld

beforeAll(async () => {
  world = await openPages({
    sampleDays: 10,
    callsPerDay: 8,
  })
})
afterAll(() => world.close())

describe('Overview', () => {
  it('the overview shows the response of usage.series, and the amounts of model names add up to the total', async () => {
    const { last, page, ...seen } = await opened(world, `/?${where}`)
    const { all, groups, latencyTotals, other } = await ask<UsageSeries>(
      world,
      last('usage/series', 'by=model'),
    )
    const figure = (name: string) => page.locator(`[data-figure=${name}]`).getAttribute('data-micros')
    expect(await figure('billed')).toBe(all.totals.billedMicros)
    expect(await figure('cost')).toBe(all.totals.costMicros)
    expect(await figure('charged')).toBe(all.totals.chargeMicros)
    expect(BigInt(all.totals.chargeMicros)).toBeGreaterThan(0n)
    const table = page.getByRole('table', { name: 'Models by spend' })
    const parts = await column(table, 4)
    expect(parts.map(String)).toEqual(
      [...groups, ...(other ? [other] : [])].map(({ totals }) => totals.chargeMicros),
    )
    expect(sum(parts)).toBe(BigInt(all.totals.chargeMicros))
    const main = page.getByRole('main')
    const text = (await main.innerText()).replaceAll('\u2009', '')
    expect(text).toContain(`Requests\n${all.totals.calls}`)
    const { client = 0, limit = 0, ours = 0, provider = 0 } = all.totals.failed ?? {}
    const rate = ((client + limit + ours + provider) / (all.totals.calls ?? 0)) * 100
    expect(text).toContain(`Error rate\n${rate.toFixed(1)}%`)
    // If no call was streamed, the page shows the latencies of non-streaming responses.
    const firstByteMs = latencyTotals?.firstByteMs.p95Ms ?? null
    const p95Ms = firstByteMs ?? latencyTotals?.latencyMs.p95Ms ?? Number.NaN
    // A busy machine may need seconds for a response, so the page may show seconds.
    const slowest = p95Ms < 1000 ? `${p95Ms} ms` : `${(p95Ms / 1000).toFixed(p95Ms < 10_000 ? 1 : 0)} s`
    expect(text).toContain(`${firstByteMs === null ? 'p95 full response' : 'p95 to first byte'}\n${slowest}`)
    await page.getByRole('button', { name: /Show as table.*Charges by model/ }).click()
    const twin = page.getByRole('group', { name: 'Charges by model, table' })
    const dollars = (micros: string) => `$${(Number(micros) / 1e6).toFixed(6).replace(/0{0,4}$/, '')}`
    expect((await twin.locator('tfoot td').last().innerText()).trim()).toBe(dollars(all.totals.chargeMicros))
    await expectQuiet(page, { ...seen })
  })

  it('the overview shows how to make the first request if no request exists', async () => {
    const { page, ...seen } = await opened(world, '/?app=sample-month&mode=live')
    const way = page.getByRole('link', { name: 'Send your first request' })
    await way.waitFor()
    expect(await way.getAttribute('href')).toMatch(/^\/onboarding/)
    expect(await page.getByRole('slider').count()).toBe(0)
    await expectAccessible(page)
    await expectQuiet(page, seen)
  })
})

describe('Margin', () => {
  it('the margin page shows each amount between revenue and margin, and the amounts add up', async () => {
    const { page, last, ...seen } = await opened(world, `/margin?${where}&range=30d&by=model`)
    const { totals } = await ask<MarginOutput>(world, last('margin', 'by=day'))
    const step = (name: string) => microsOf(page.locator(`[data-step=${name}]`))
    const subscribed = BigInt(totals.subscriptionMicros ?? -1)
    const parts = [BigInt(totals.paidFromWalletMicros), BigInt(totals.onDemandMicros)] as const
    expect(await step('subscriptions')).toBe(subscribed)
    expect([await step('wallet'), await step('on-demand')]).toEqual(parts)
    const revenue = subscribed + sum(parts)
    expect(await step('revenue')).toBe(revenue)
    expect(await step('billed')).toBe(BigInt(totals.billedMicros))
    expect(await step('plan')).toBe(BigInt(totals.paidFromPlanMicros))
    expect(await step('gift')).toBe(BigInt(totals.paidFromGiftMicros))
    expect(await step('cost')).toBe(BigInt(totals.costMicros))
    expect(await step('over')).toBe(BigInt(totals.overHoldMicros))
    expect(await step('margin')).toBe(BigInt(totals.marginMicros))
    expect(revenue - BigInt(totals.costMicros)).toBe(BigInt(totals.marginMicros))
    expect(subscribed).toBeGreaterThan(0n)
    await expectQuiet(page, seen)
  })

  it.each(sampleOfCases(['model', 'bundle', 'endUser', 'provider', 'day', 'key'], 5))(
    'the rows of the margin page by %s add up to the totals',
    async (by) => {
      const { last, page } = await opened(world, `/margin?${where}&range=30d&by=${by}`)
      const table = page.getByRole('table', { name: /^Margin by/ })
      await table.waitFor()
      const heads = await table.locator('thead th').allInnerTexts()
      const { data, totals } = await ask<MarginOutput>(world, last('margin', 'limit=100'))
      expect(data.length).toBeGreaterThan(0)
      const fields = [
        ['Revenue', 'revenueMicros'],
        ['Cost', 'costMicros'],
        ['Subscriptions', 'subscriptionMicros'],
        ['Margin', 'marginMicros'],
      ] as const
      for (const [head, field] of fields) {
        const at = heads.indexOf(head) + 1
        if (at === 0) continue
        // oxlint-disable-next-line no-await-in-loop -- one page
        const amounts = await column(table, at)
        expect([head, amounts.map(String)]).toEqual([head, data.map((row) => row[field])])
        // oxlint-disable-next-line no-await-in-loop -- one page
        expect([head, await microsOf(table.locator(`tfoot tr > :nth-child(${at})`))]).toEqual([
          head,
          sum(amounts),
        ])
      }
      expect(await microsOf(table.locator(`tfoot tr > :nth-child(${heads.indexOf('Revenue') + 1})`))).toBe(
        BigInt(totals.revenueMicros),
      )
    },
  )
})

describe('Explore', () => {
  const rowsOf = async (page: Page): Promise<ReadonlyMap<string, bigint>> => {
    const rows = await page.locator('tr[data-group]').all()
    const pairs = rows.map(async (row) => {
      const cell = row.locator('td').last().locator('[data-micros], [data-count]')
      const value = (await cell.getAttribute('data-micros')) ?? (await cell.getAttribute('data-count')) ?? ''
      return [(await row.getAttribute('data-group')) ?? '', BigInt(value)] as const
    })
    return new Map(await Promise.all(pairs))
  }
  const figures = {
    charged: ({ chargeMicros }: Totals) => BigInt(chargeMicros),
    margin: ({ costMicros, onDemandMicros, paidFromWalletMicros }: Totals) =>
      BigInt(paidFromWalletMicros) + BigInt(onDemandMicros) - BigInt(costMicros),
    requests: ({ calls }: Totals) => BigInt(calls ?? -1),
    'tokens-out': ({ outputTokens }: Totals) => BigInt(outputTokens ?? -1),
  }

  const cases = [
    ['charged', 'model', ''],
    ['charged', 'model', 'provider'],
    ['margin', 'endUser', 'model'],
    ['requests', 'bundle', 'model'],
    ['tokens-out', 'endUser', ''],
    ['charged', 'none', ''],
  ] as const
  it.each(sampleOfCases(cases, 5))(
    'the parts that Explore shows of %s by %s and %s add up to the whole',
    async (metric, by, second) => {
      const { page, last, ...seen } = await opened(
        world,
        `/explore?${where}&range=30d&metric=${metric}&by=${by}&second=${second}&top=3`,
      )
      const { all, groups } = await ask<UsageSeries>(
        world,
        last('usage/series', by === 'none' ? '' : `by=${by}`),
      )
      const rows = await rowsOf(page)
      const whole = figures[metric](all.totals)
      expect(rows.get('all')).toBe(whole)
      const parts = [...rows].filter(([name]) => name !== 'all')
      expect(sum(parts.map(([, value]) => value))).toBe(whole)
      if (by !== 'none' && second === '') {
        const largest = groups
          .map(({ group, totals }) => [group ?? 'Unknown', figures[metric](totals)] as const)
          .filter(([, value]: readonly [string, bigint]) => value !== 0n)
        for (const [name, value] of parts.filter(([one]) => one !== 'other'))
          expect(largest).toContainEqual([name, value])
      }
      await expectQuiet(page, seen)
    },
  )
})
