import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aBound, worstCost } from '#tests/fixtures/build-money-values.ts'
import { MoneyBroken } from './amount.ts'
import { costOf, hasUnpricedUse } from './cost.ts'
import type { Price } from './price.ts'
import { zeroUsage } from './usage-counts.ts'

/** A search unit costs 2,000 micros, and tokens cost nothing. */
const price: Price = { input: 0n, searchUnit: 2_000n }

describe('searches and other billed uses that a request causes', () => {
  it('the hold includes the searches that a request causes, at their rate, in addition to the tokens', () => {
    const bound = aBound({ textTokens: 3, uses: { searchUnits: 2 } })
    expect(worstCost(bound, price)).toBe(4_000n)
    expect(worstCost(bound, { ...price, input: 1_000_000n })).toBe(4_003n)
  })

  it('searches that a request causes cost nothing if the price has only rates for tokens', () => {
    const tokens: Price = { input: 1_000_000n }
    expect(worstCost(aBound({ textTokens: 3, uses: { searchUnits: 2 } }), tokens)).toBe(3n)
    const usage = { ...zeroUsage, input: 3, searchUnits: 2 }
    expect(costOf(usage, tokens)).toMatchObject({ amount: 3n, lines: [{ dimension: 'input' }] })
    expect(hasUnpricedUse(usage, tokens)).toBe(false)
  })

  it('the tokens of images count as uses, and a provider may report them as plain output', () => {
    const images: Price = { input: 0n, output: 3_000_000n, imageOutput: 2_000_000n }
    const bound = aBound({ uses: { images: 2, imageOutput: 10 } })
    expect(worstCost(bound, images)).toBe(30n)
    expect(worstCost(bound, { ...images, image: 100n })).toBe(230n)
    expect(worstCost(bound, { input: 0n, image: 100n })).toBe(200n)
  })

  it('transcripts and speech count as uses, at the higher of their own rate and the output rate', () => {
    const audio: Price = { input: 0n, output: 3_000_000n, audioOutput: 5_000_000n }
    expect(worstCost(aBound({ uses: { output: 10 } }), audio)).toBe(30n)
    expect(worstCost(aBound({ uses: { audioOutput: 10 } }), audio)).toBe(50n)
    expect(worstCost(aBound({ uses: { audioOutput: 10 } }), { ...audio, audioOutput: 1n })).toBe(30n)
  })

  it('if a single use costs less than a micro, its rate is per million uses', () => {
    const bound = aBound({ uses: { characters: 3, audioSeconds: 2 } })
    expect(worstCost(bound, { input: 0n, character: 600_000n })).toBe(2n)
    expect(worstCost(bound, { input: 0n, audioSecond: 100_000_000n })).toBe(200n)
    const usage = { ...zeroUsage, characters: 3, audioSeconds: 2 }
    expect(costOf(usage, { input: 0n, character: 600_000n, audioSecond: 11_111_111n })).toMatchObject({
      amount: 25n,
      lines: [
        { dimension: 'character', units: 3 },
        { dimension: 'audioSecond', units: 2 },
      ],
    })
  })

  it('uses are included in the hold at the most expensive price tier that the input can reach', () => {
    const tiered: Price = { ...price, tiers: [{ aboveInputTokens: 10, searchUnit: 3_000n }] }
    expect(worstCost(aBound({ textTokens: 11, uses: { searchUnits: 1 } }), tiered)).toBe(3_000n)
  })

  it.each([-1, 0.5, NaN])('a number of uses of %s throws an error', (searchUnits) => {
    expect(() => worstCost(aBound({ uses: { searchUnits } }), price)).toThrow(MoneyBroken)
  })

  it('uses never cost more than their hold', () => {
    const rate = fc.bigInt(0n, 10_000_000n)
    fc.assert(
      fc.property(
        fc.record({ input: rate, searchUnit: rate }),
        fc.nat(1_000),
        fc.nat(1_000),
        fc.nat(100),
        fc.nat(100),
        (anyPrice, tokensMax, unitsMax, tokenShare, unitShare) => {
          const input = Math.floor((tokensMax * tokenShare) / 100)
          const searchUnits = Math.floor((unitsMax * unitShare) / 100)
          const bound = aBound({ textTokens: tokensMax, uses: { searchUnits: unitsMax } })
          const { amount } = costOf({ ...zeroUsage, input, searchUnits }, anyPrice)
          expect(amount).toBeLessThanOrEqual(worstCost(bound, anyPrice))
        },
      ),
    )
  })
})
