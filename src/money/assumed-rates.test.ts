import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aBound, worstCost } from '#tests/fixtures/build-money-values.ts'
import { MoneyBroken } from './amount.ts'
import { assumeRates } from './assumed-rates.ts'
import { costOf, providerCost } from './cost.ts'
import { type Dimension, missingDimensions, type Price, priceFaults, type TokenDimension } from './price.ts'
import { zeroUsage } from './usage-counts.ts'

const anthropic: readonly TokenDimension[] = ['input', 'cacheWrite', 'cacheWriteLong', 'output']

describe('an account price that lacks rates', () => {
  it('every known rate is kept, so a call without cached tokens costs exactly the amount that the provider charges', () => {
    const own = { input: 1_000_000n, output: 2_000_000n }
    const sell = { input: 5_000_000n, output: 10_000_000n }
    const { cost, assumed } = assumeRates(own, sell, ['cacheWrite'])
    expect(cost).toEqual({ ...own, cacheWrite: 5_000_000n })
    expect(assumed).toEqual(['cacheWrite'])
    const usage = { ...zeroUsage, input: 15, output: 50 }
    expect(costOf(usage, sell).amount).toBe(575n)
    expect(costOf(usage, cost, assumed)).toMatchObject({ amount: 115n, assumed: 0n })
  })

  it('only units without a known rate are charged at an assumed rate, and the cost states how much these units cost', () => {
    const own = { input: 1_000_000n, output: 2_000_000n }
    const sell = { input: 3_000_000n, output: 6_000_000n }
    const filled = assumeRates(own, sell, ['cacheWrite', 'cacheWriteLong'])
    // At the sell price, the cost of this usage would be 156.
    const usage = { ...zeroUsage, input: 20, cacheRead: 7, cacheWrite: 5, output: 10 }
    const cost = costOf(usage, filled.cost, filled.assumed)
    expect([cost.amount, cost.assumed]).toEqual([20n + 7n + 15n + 20n, 15n])
    expect(cost.lines.filter((line) => line.assumed).map(({ dimension }) => dimension)).toEqual([
      'cacheWrite',
    ])
  })

  it.each<[string, Price, Price, TokenDimension, bigint]>([
    ['what it is sold at', { input: 1n, output: 9n }, { input: 2n, output: 9n }, 'cacheWrite', 2n],
    [
      'its own rate of sale',
      { input: 1n, output: 9n },
      { input: 2n, cacheWrite: 3n, output: 9n },
      'cacheWrite',
      3n,
    ],
    [
      'a more expensive rate of the same side',
      { input: 4n, output: 9n },
      { input: 2n, output: 9n },
      'cacheWrite',
      4n,
    ],
    [
      'the most expensive tier of the same side',
      { input: 1n, output: 9n, tiers: [{ aboveInputTokens: 10, input: 7n }] },
      { input: 2n, output: 9n },
      'cacheWrite',
      7n,
    ],
    [
      'the most expensive tier of the sell price',
      { input: 1n, output: 9n },
      { input: 2n, output: 9n, tiers: [{ aboveInputTokens: 10, input: 8n }] },
      'cacheWrite',
      8n,
    ],
    ['no rate of the other side', { output: 9n }, { input: 2n, output: 3n }, 'input', 2n],
    [
      'the input rate, if only the output rate is missing',
      { input: 9n },
      { input: 2n, output: 3n },
      'output',
      3n,
    ],
  ])('a missing rate of an account price is filled with %s', (_what, own, sell, dimension, rate) => {
    expect(assumeRates(own, sell, [dimension]).cost[dimension]).toBe(rate)
  })

  it('if the account has no price at all, the sell price is used and every rate is assumed', () => {
    const sell = { input: 3n, output: 6n, request: 2n }
    const { cost, assumed } = assumeRates(null, sell, ['input', 'output'])
    expect(cost).toBe(sell)
    expect(assumed).toEqual(['input', 'output', 'request'])
    const usage = { ...zeroUsage, input: 1, cacheRead: 1, output: 2, reasoning: 1 }
    const { amount, assumed: part, lines } = costOf(usage, cost, assumed)
    expect(part).toBe(amount)
    expect(lines.every((line) => line.assumed)).toBe(true)
  })

  it('filling in a rate that is already known throws an error', () => {
    expect(() => assumeRates({ input: 1n }, { input: 1n, output: 1n }, ['input'])).toThrow(MoneyBroken)
  })
})

describe('the part of a cost at assumed rates', () => {
  it('the assumed cost is zero if a count has no rate of its own but is part of a total with a known rate', () => {
    const usage = { ...zeroUsage, cacheRead: 5, output: 5, reasoning: 5 }
    expect(costOf(usage, { input: 1_000_000n, output: 1_000_000n })).toMatchObject({
      amount: 10n,
      assumed: 0n,
    })
  })

  it('the assumed cost of a dimension without a rate uses the fallback rate and the service tier multiplier', () => {
    const price = { input: 1_000_000n, output: 2_000_000n, serviceTiers: { priority: 2000n } }
    const usage = { ...zeroUsage, input: 5, audioInput: 3, serviceTier: 'priority' }
    expect(costOf(usage, price)).toMatchObject({ amount: 16n, assumed: 6n })
  })

  it('the quote of a call shows which rates are assumed', () => {
    const cost = { input: 1_000_000n, output: 1_000_000n }
    const usage = { ...zeroUsage, input: 5, output: 1 }
    expect(providerCost(usage, { cost }).assumed).toBe(0n)
    expect(providerCost(usage, { cost, assumed: ['input'] }).assumed).toBe(5n)
  })
})

const rate = fc.bigInt(0n, 10_000_000n)
const anyOwn: fc.Arbitrary<Price> = fc
  .record(
    { input: rate, cacheRead: rate, cacheWrite: rate, cacheWriteLong: rate, audioInput: rate, output: rate },
    { requiredKeys: [] },
  )
  .filter(({ input, output }) => input !== undefined || output !== undefined)
const anySell: fc.Arbitrary<Price> = fc.record(
  { input: rate, output: rate, cacheRead: rate, cacheWrite: rate, reasoning: rate, request: rate },
  { requiredKeys: ['input', 'output'] },
)
const anyTiers = fc.option(
  fc.record({ above: fc.nat(3000), rates: fc.array(rate, { minLength: 6, maxLength: 6 }) }),
)

function tiered(price: Price, tier: { above: number; rates: readonly bigint[] } | null): Price {
  if (tier === null) return price
  const names = Object.keys(price)
  const rates = Object.fromEntries(names.map((name, at) => [name, tier.rates[at] ?? 0n]))
  return { ...price, tiers: [{ aboveInputTokens: tier.above, ...rates }] }
}

const counts = fc.array(fc.nat(1000), { minLength: 7, maxLength: 7 })
const anyUsage = counts.map(
  ([input = 0, cacheRead = 0, cacheWrite = 0, long = 0, audioInput = 0, ...out]) => {
    const [reasoning = 0, plain = 0] = out
    const text = { input, cacheRead, cacheWrite, cacheWriteLong: long, audioInput }
    return { ...zeroUsage, ...text, reasoning, output: reasoning + plain }
  },
)

describe('for any price of the account and of the bundle', () => {
  const filledOf = (own: Price | null, sell: Price) =>
    assumeRates(own, sell, own === null ? anthropic : missingDimensions(own, anthropic))

  it('the completed price is valid, has a rate for all reported dimensions and keeps every known rate', () => {
    fc.assert(
      fc.property(fc.option(anyOwn), anySell, anyTiers, anyTiers, (bare, sold, ownTier, soldTier) => {
        const own = bare && tiered(bare, ownTier)
        const sell = tiered(sold, soldTier)
        const { cost, assumed } = filledOf(own, sell)
        expect(priceFaults(cost)).toEqual([])
        if (own === null) return
        expect(missingDimensions(cost, anthropic)).toEqual([])
        expect(cost).toEqual({ ...own, ...Object.fromEntries(assumed.map((name) => [name, cost[name]])) })
        for (const name of Object.keys(own)) expect(assumed).not.toContain(name)
      }),
      { numRuns: 1000 },
    )
  })

  it('a call costs at least the known account price, and at most its hold', () => {
    const all = { numRuns: 3000 }
    fc.assert(
      fc.property(
        fc.option(anyOwn),
        anySell,
        anyTiers,
        anyTiers,
        anyUsage,
        (bare, sold, tier, soldTier, usage) => {
          const own = bare && tiered(bare, tier)
          const sell = tiered(sold, soldTier)
          const { cost, assumed } = filledOf(own, sell)
          const rated = costOf(usage, cost, assumed)
          expect(rated.assumed).toBeLessThanOrEqual(rated.amount)
          const bound = aBound({
            textTokens: usage.input + usage.cacheRead + usage.cacheWrite + usage.cacheWriteLong,
            audioTokens: usage.audioInput,
            outputTokens: usage.output,
          })
          expect(rated.amount).toBeLessThanOrEqual(worstCost(bound, cost))
          if (own === null) return
          // If a side (input or output) has no known rate, the test has no fallback rate to compare with.
          const isSideKnown = own.input !== undefined && own.output !== undefined
          if (isSideKnown) {
            expect(rated.amount).toBeGreaterThanOrEqual(costOf(usage, own).amount)
            expect(worstCost(bound, cost)).toBeGreaterThanOrEqual(worstCost(bound, own))
          }
        },
      ),
      all,
    )
  })

  it('the assumed cost is above zero if, and only if, the usage has units in a dimension without a known rate', () => {
    fc.assert(
      fc.property(anyOwn, anySell, anyUsage, (own, sell, usage) => {
        const { cost, assumed } = filledOf(own, sell)
        const { lines } = costOf(usage, cost, assumed)
        for (const line of lines) {
          const whole: Dimension =
            line.dimension === 'cacheRead'
              ? 'input'
              : line.dimension === 'reasoning'
                ? 'output'
                : line.dimension
          expect(line.assumed).toBe(own[line.dimension] === undefined && own[whole] === undefined)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
