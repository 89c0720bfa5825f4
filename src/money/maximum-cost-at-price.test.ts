import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microsMax } from './amount.ts'
import { costOf } from './cost.ts'
import { mostExpensiveCall, isWithinLimit } from './maximum-cost-at-price.ts'
import { allDimensions, type Price } from './price.ts'
import { unitsMax, type Usage, zeroUsage } from './usage-counts.ts'

const most: Usage = {
  ...zeroUsage,
  input: unitsMax,
  cacheRead: unitsMax,
  cacheWrite: unitsMax,
  cacheWriteLong: unitsMax,
  audioInput: unitsMax,
  cacheReadAudio: unitsMax,
  imageInput: unitsMax,
  output: unitsMax,
  webSearches: unitsMax,
  codeSessions: unitsMax,
  fileSearches: unitsMax,
  cacheTokenHours: unitsMax,
  searchUnits: unitsMax,
  images: unitsMax,
  characters: unitsMax,
  audioSeconds: unitsMax,
}

describe('the most expensive call at a price', () => {
  it('the most expensive call has the maximum accepted usage in each dimension, at the most expensive tier', () => {
    const price: Price = { input: 2n, output: 3n, request: 5n, webSearch: 7n, character: 11n }
    expect(mostExpensiveCall(price)).toBe(costOf(most, price).amount)
    const tiered: Price = {
      ...price,
      tiers: [{ aboveInputTokens: 10, input: 9n, output: 1n }],
      serviceTiers: { flex: 500n, priority: 2000n },
    }
    const bound = { ...price, input: 9n, serviceTiers: { priority: 2000n } }
    expect(mostExpensiveCall(tiered)).toBe(costOf({ ...most, serviceTier: 'priority' }, bound).amount)
    expect(mostExpensiveCall({ input: 2n, output: 3n, audioOutput: 8n })).toBe(
      costOf({ ...most, audioOutput: unitsMax }, { input: 2n, output: 3n, audioOutput: 8n }).amount,
    )
  })

  it('no call with accepted usage costs more than the most expensive call', () => {
    const rate = fc.bigInt(0n, microsMax)
    const price = fc
      .record({
        rates: fc.dictionary(fc.constantFrom(...allDimensions), rate),
        output: rate,
        serviceTiers: fc.dictionary(fc.constantFrom('flex', 'priority'), fc.bigInt(1n, 1_000_000n)),
      })
      .map(({ output, rates, serviceTiers }): Price => ({ ...rates, output, serviceTiers }))
    const count = fc.nat(unitsMax)
    const usage = fc.record({
      counts: fc.array(count, { minLength: 10, maxLength: 10 }),
      serviceTier: fc.constantFrom(null, 'flex', 'priority'),
    })
    fc.assert(
      fc.property(price, usage, (any, { counts, serviceTier }) => {
        const [input = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioInput = 0] = counts
        const [imageInput = 0, output = 0, webSearches = 0, reasoning = 0] = counts.slice(5)
        const text = { input, cacheRead, cacheWrite, cacheWriteLong }
        const used = { ...zeroUsage, ...text, audioInput, imageInput, output, webSearches, serviceTier }
        const parts = { reasoning: Math.min(reasoning, output) }
        expect(costOf({ ...used, ...parts }, any).amount).toBeLessThanOrEqual(mostExpensiveCall(any))
      }),
    )
  })

  it('the most expensive call may cost exactly the API’s largest amount, but not one micro more', () => {
    expect(isWithinLimit({ input: 0n, output: 0n, request: microsMax })).toBe(true)
    expect(isWithinLimit({ input: 1n, output: 0n, request: microsMax })).toBe(false)
    // Each rate of this price is within the limit, but a call can cost more than the API can represent.
    expect(isWithinLimit({ input: 1n, output: 1n, request: 999_999_999_999_999n })).toBe(false)
    // The most expensive published prices are far below this limit.
    expect(isWithinLimit({ input: 150_000_000n, output: 600_000_000n, webSearch: 35_000n })).toBe(true)
  })
})
