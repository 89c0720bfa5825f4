import { describe, expect, it } from 'vitest'
import type { Quote } from '#money/decision-types.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { priceLines } from './price-lines.ts'

const cost = { input: 3_000_000n, output: 15_000_000n, cacheRead: 300_000n, webSearch: 10_000n }
const quote: Quote = {
  id: 'q',
  cost,
  sell: cost,
  basis: 'provider_cost',
  credits: null,
  policy: 'hard_token',
  maxOverdraftMicros: 0n,
}

describe('the price lines in the explanation of a request', () => {
  it('the price lines show exact amounts, and only their sum is rounded', () => {
    const usage = { ...zeroUsage, input: 7, cacheRead: 12_304, output: 13, webSearches: 2 }
    const [only, ...others] = priceLines(usage, quote)
    expect(others).toEqual([])
    expect(only?.lines.map(({ dimension, exact }) => [dimension, exact])).toEqual([
      ['input', '21'],
      ['cacheRead', '3691.2'],
      ['output', '195'],
      ['webSearch', '20000'],
    ])
    expect(only?.amount).toBe(23_908n)
  })

  it('the price lines are multiplied by the factor of the service tier', () => {
    const tiered = { ...quote, cost: { ...cost, serviceTiers: { flex: 500n } } }
    const [line] = priceLines(
      { ...zeroUsage, input: 1, serviceTier: 'flex' },
      { ...tiered, sell: tiered.cost },
    )
    expect(line).toMatchObject({ multiplier: '500', amount: 2n })
    expect(line?.lines[0]?.exact).toBe('1.5')
  })

  it('the factor of the service tier does not change the line of web searches', () => {
    const tiered = { ...cost, serviceTiers: { flex: 500n } }
    const usage = { ...zeroUsage, input: 2, webSearches: 1, serviceTier: 'flex' }
    const [line] = priceLines(usage, { ...quote, cost: tiered, sell: tiered })
    expect(line?.lines.map(({ exact }) => exact)).toEqual(['3', '10000'])
    expect(line?.amount).toBe(10_003n)
  })

  it('the usage is priced separately at the cost, at the sell price and in credits', () => {
    const usage = { ...zeroUsage, input: 1_000_000, reasoning: 5, output: 5 }
    const sell = { input: 6_000_000n, output: 30_000_000n }
    const credits = { input: 100n, output: 200n }
    const all = priceLines(usage, { ...quote, sell, credits })
    expect(all.map(({ amount, price }) => [price, amount])).toEqual([
      ['cost', 3_000_075n],
      ['sell', 6_000_150n],
      ['credits', 101n],
    ])
    expect(all[0]?.lines.find(({ dimension }) => dimension === 'reasoning')?.assumed).toBe(false)
  })

  it('a rate that the price of the account lacks is marked as assumed in the cost, but not in the sell price', () => {
    const usage = { ...zeroUsage, input: 4, cacheWrite: 2 }
    const filled = { ...cost, cacheWrite: 5_000_000n }
    const all = priceLines(usage, { ...quote, cost: filled, sell: filled, assumed: ['cacheWrite'] })
    const assumed = all.map(({ lines, price }) => [price, lines.map((line) => line.assumed)])
    expect(assumed).toEqual([
      ['cost', [false, true]],
      ['sell', [false, false]],
    ])
  })
})
