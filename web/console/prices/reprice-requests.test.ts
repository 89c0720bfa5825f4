import { describe, expect, it } from 'vitest'
import type { UsageRow } from '#sdk/generated/types.ts'
import { nothingRepriced, repriced } from './reprice-requests.ts'

const row = (changes: Partial<UsageRow>): UsageRow =>
  ({
    inputTokens: 1_000,
    cachedInputTokens: 400,
    cacheWriteTokens: 0,
    outputTokens: 100,
    reasoningTokens: 20,
    webSearches: 0,
    codeSessions: 0,
    fileSearches: 0,
    cacheTokenHours: 0,
    searchUnits: 0,
    images: 0,
    characters: 0,
    audioSeconds: 0,
    // The rates per million are 0.10, 0.01 and 0.40, and the sum is rounded up once.
    billedMicros: '104',
    costMicros: '52',
    overHoldMicros: '0',
    ...changes,
  }) as UsageRow
const now = { input: '100000', cacheRead: '10000', output: '400000' }
const proof = { side: 'sell', known: [{ side: 'sell', price: now }] } as const

describe('the amounts of past requests at another price', () => {
  it('the amount of a request at the new price is exact to the micro', () => {
    const next = { input: '200000', cacheRead: '20000', output: '400001' }
    // The sum of 120, 8 and 40.0001 is rounded up.
    expect(repriced(nothingRepriced, row({}), next, proof)).toEqual({
      calls: 1,
      told: 1,
      beforeMicros: 104n,
      afterMicros: 169n,
      isCut: false,
    })
  })

  it('a request is skipped if its recorded amount differs from its amount at the current price', () => {
    const told = repriced(nothingRepriced, row({ billedMicros: '105' }), now, proof)
    expect([told.calls, told.told, told.beforeMicros, told.afterMicros]).toEqual([1, 0, 0n, 0n])
  })

  it('a request is skipped if its usage exceeded the hold, because less than the full price was billed', () => {
    expect(repriced(nothingRepriced, row({ overHoldMicros: '1' }), now, proof).told).toBe(0)
  })

  it('if the bundle has no sell price, the units of a request are checked against its recorded cost', () => {
    const cost = { input: '50000', cacheRead: '5000', output: '200000' }
    const known = [{ side: 'cost', price: cost }] as const
    const told = repriced(nothingRepriced, row({}), now, { side: 'sell', known })
    expect([told.told, told.beforeMicros, told.afterMicros]).toEqual([1, 104n, 104n])
  })

  it('the rate of a price tier applies only to requests with more input than the tier requires', () => {
    const tiered = { ...now, tiers: [{ aboveInputTokens: 999, input: '1000000' }] }
    const edge = { ...now, tiers: [{ aboveInputTokens: 1000, input: '1000000' }] }
    // The sum of 600, 4 and 40.
    expect(repriced(nothingRepriced, row({}), tiered, proof).afterMicros).toBe(644n)
    expect(repriced(nothingRepriced, row({}), edge, proof).afterMicros).toBe(104n)
  })
})
