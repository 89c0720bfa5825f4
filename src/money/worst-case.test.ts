import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microsMax, MoneyBroken } from './amount.ts'
import { aBound, aQuote } from '#tests/fixtures/build-money-values.ts'
import { costOf } from './cost.ts'
import {
  basisPrice,
  demandAt,
  isHoldable,
  isSoundDearer,
  mostThatFits,
  withToolUses,
  worstCase,
  worstUsage,
} from './worst-case.ts'

const cost = { input: 1_000_000n }
const sell = { input: 2_000_000n }
const credits = { input: 3_000_000n }

it('the debit basis (provider cost or sell price) determines the price for all computations', () => {
  expect(basisPrice(aQuote({ cost, sell, basis: 'provider_cost' }))).toBe(cost)
  expect(basisPrice(aQuote({ cost, sell, basis: 'sell_price' }))).toBe(sell)
})

it('the price of the debit basis decides whether sound costs more than images, and a missing rate is the input rate', () => {
  const quote = aQuote({ cost: { input: 1n, audioInput: 3n, imageInput: 2n }, sell, basis: 'provider_cost' })
  expect(isSoundDearer(quote, 10)).toBe(true)
  expect(isSoundDearer({ ...quote, cost: { input: 1n, audioInput: 2n, imageInput: 2n } }, 10)).toBe(false)
  expect(isSoundDearer({ ...quote, basis: 'sell_price' }, 10)).toBe(false)
})

it('the worst case is computed in money and credits, and is 0 credits without a credit price', () => {
  const bound = aBound({ textTokens: 10 })
  const quote = aQuote({ cost, sell, basis: 'sell_price' })
  expect(demandAt(worstCase(quote, bound), 1)).toEqual({ micros: 22n, credits: 0n })
  expect(demandAt(worstCase({ ...quote, credits }, bound), 1)).toEqual({ micros: 22n, credits: 33n })
})

it('the worst usage has all tokens and searches that the hold covers, and never costs more than the hold', () => {
  const price = { input: 1_000_000n, cacheWrite: 1_250_000n, output: 3_000_000n, webSearch: 10_000n }
  const count = fc.nat(10_000)
  const bounds = fc.record({ textTokens: count, audioTokens: count, imageTokens: count, outputTokens: count })
  const uses = fc.option(fc.integer({ min: 1, max: 5 }))
  fc.assert(
    fc.property(bounds, uses, (tokens, used) => {
      const tools = used === null ? null : { uses: used, usesMax: 5, tokensPerUse: 100, searchesPerUse: 1 }
      const bound = aBound({ ...tokens, ...(tools && { tools }) })
      const usage = worstUsage(bound)
      expect(usage).toMatchObject({
        input: tokens.textTokens + (used ?? 0) * 100,
        audioInput: tokens.audioTokens,
        imageInput: tokens.imageTokens,
        output: tokens.outputTokens,
        webSearches: used ?? 0,
      })
      const { micros } = demandAt(worstCase(aQuote({ cost: price, sell: price }), bound), bound.outputTokens)
      expect(costOf(usage, price).amount).toBeLessThanOrEqual(micros)
    }),
  )
})

it('if the usage is unknown, the held tokens of images, sound and transcripts are charged', () => {
  const price = { input: 1n, output: 2_000_000n, audioOutput: 3_000_000n, imageOutput: 4_000_000n }
  const bound = aBound({ outputTokens: 10, uses: { output: 20, audioOutput: 30, imageOutput: 40 } })
  const usage = worstUsage(bound)
  expect(usage).toMatchObject({ output: 100, audioOutput: 30, imageOutput: 40 })
  const { micros } = demandAt(worstCase(aQuote({ cost: price, sell: price }), bound), bound.outputTokens)
  const { amount } = costOf(usage, price)
  expect(amount).toBe(310n)
  expect(amount).toBeLessThanOrEqual(micros)
})

it('a lower number of held tool uses also lowers the held file searches, and changes no other held uses', () => {
  const tools = { uses: 5, usesMax: 5, tokensPerUse: 100, searchesPerUse: 0 }
  const searching = aBound({ tools, uses: { fileSearches: 5, codeSessions: 2 } })
  expect(withToolUses(searching, tools, 3)).toMatchObject({
    tools: { uses: 3, usesMax: 3 },
    uses: { fileSearches: 3, codeSessions: 2 },
  })
  expect(withToolUses(aBound({ tools }), tools, 3).uses).toBeUndefined()
})

it('an amount above the largest amount of the store is never held, in money or in credits', () => {
  expect(isHoldable({ micros: microsMax, credits: microsMax })).toBe(true)
  expect(isHoldable({ micros: microsMax + 1n, credits: 0n })).toBe(false)
  expect(isHoldable({ micros: 0n, credits: microsMax + 1n })).toBe(false)
})

describe('mostThatFits', () => {
  it('mostThatFits finds the largest count that fits, in a number of attempts that grows with the logarithm of the count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), fc.nat(210_000), (countMax, limit) => {
        let tries = 0
        const most = mostThatFits(countMax, (count) => {
          tries += 1
          return count <= limit ? `fit ${count}` : null
        })
        const count = Math.min(countMax, limit)
        expect(most).toEqual(count === 0 ? null : { count, fit: `fit ${count}` })
        expect(tries).toBeLessThanOrEqual(20)
      }),
    )
  })

  it('mostThatFits throws unless the maximum count is a whole number of at least one', () => {
    expect(() => mostThatFits(0, () => 1)).toThrow(MoneyBroken)
    expect(() => mostThatFits(0.5, () => 1)).toThrow(MoneyBroken)
  })
})
