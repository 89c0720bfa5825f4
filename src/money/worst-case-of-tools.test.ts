import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit } from './admit.ts'
import { MoneyBroken } from './amount.ts'
import { costOf, toolTokensOf, worstTerms } from './cost.ts'
import { extendUses } from './extend-hold.ts'
import type { CallBound, ToolBound } from './decision-types.ts'
import { settle } from './settle.ts'
import {
  aBound,
  aCreditPool,
  aHold,
  aLeg,
  aLimit,
  aPool,
  aQuote,
  aState,
  aWallet,
  worstCost,
} from '#tests/fixtures/build-money-values.ts'
import { applyPosting } from './posting.ts'
import type { Price } from './price.ts'
import { zeroUsage } from './usage-counts.ts'

/** A token costs one micro, and a search costs 100 micros. */
const price: Price = { input: 1_000_000n, output: 1_000_000n, webSearch: 100n }
const quote = aQuote({ cost: price, sell: price })
const tools = (fields: Partial<ToolBound> = {}): ToolBound => ({
  uses: 1,
  usesMax: 1,
  tokensPerUse: 50,
  searchesPerUse: 1,
  ...fields,
})

describe('the worst case of tools that the provider runs', () => {
  it('the worst case of tools includes the tokens and the fee of each held use, and excludes uses beyond the hold', () => {
    const bound = aBound({ textTokens: 7, outputTokens: 3, tools: tools({ uses: 2, usesMax: 9 }) })
    expect(worstCost(bound, price)).toBe(7n + 2n * 150n + 3n)
    expect(toolTokensOf(bound)).toBe(100)
    expect(toolTokensOf(aBound())).toBe(0)
  })

  it('the worst case includes no fee if the tool uses are not searches, or if the price has no fee', () => {
    expect(worstCost(aBound({ tools: tools({ searchesPerUse: 0 }) }), price)).toBe(50n)
    expect(worstCost(aBound({ tools: tools() }), { input: 1_000_000n })).toBe(50n)
  })

  it('the input that tools add can reach a higher price tier', () => {
    const tiered: Price = { ...price, tiers: [{ aboveInputTokens: 50, input: 2_000_000n, webSearch: 200n }] }
    expect(worstCost(aBound({ textTokens: 1, tools: tools() }), tiered)).toBe(51n * 2n + 200n)
  })

  it.each<Partial<ToolBound>>([
    { uses: 0 },
    { uses: 0.5 },
    { uses: 2, usesMax: 1 },
    { tokensPerUse: -1 },
    { searchesPerUse: -1 },
    { tokensPerUse: NaN },
  ])('computing the worst case throws for %j', (fields) => {
    expect(() => worstTerms(aBound({ tools: tools(fields) }), price)).toThrow(MoneyBroken)
  })

  it('the worst case of tools is at least the cost of every usage within its bound', () => {
    const rate = fc.bigInt(0n, 50_000_000n)
    const anyPrice = fc.record(
      { input: rate, output: rate, cacheRead: rate, cacheWrite: rate, webSearch: rate },
      { requiredKeys: ['input', 'output'] },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          anyPrice,
          fc.tuple(anyPrice, fc.nat(2000), rate, rate).map(([base, aboveInputTokens, input, output]) => ({
            ...base,
            tiers: [{ aboveInputTokens, input, output }],
          })),
        ),
        fc.record({ uses: fc.integer({ min: 1, max: 9 }), tokensPerUse: fc.nat(500) }),
        fc.constantFrom(0, 1),
        fc.record({ text: fc.nat(500), output: fc.nat(500) }),
        fc.record({ input: fc.nat(1000), output: fc.nat(1000), uses: fc.nat(1000), cached: fc.nat(1000) }),
        (any, { tokensPerUse, uses }, searchesPerUse, { output, text }, share) => {
          const bound = aBound({
            textTokens: text,
            outputTokens: output,
            tools: { uses, usesMax: uses, tokensPerUse, searchesPerUse },
          })
          const input = Math.floor(((text + uses * tokensPerUse) * share.input) / 1000)
          const cacheRead = Math.floor((input * share.cached) / 1000)
          const usage = {
            ...zeroUsage,
            input: input - cacheRead,
            cacheRead,
            output: Math.floor((output * share.output) / 1000),
            webSearches: Math.floor((uses * searchesPerUse * share.uses) / 1000),
          }
          expect(costOf(usage, any).amount).toBeLessThanOrEqual(worstCost(bound, any))
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('admit', () => {
  const ask = (balance: bigint, bound: CallBound) => admit(aState([aWallet(balance)]), quote, bound, 'call')
  const bound = aBound({ textTokens: 10, outputTokens: 20, tools: tools({ uses: 3, usesMax: 5 }) })

  it('if the balance suffices, all tool uses are held and the maximum output is unchanged', () => {
    expect(ask(480n, bound)).toMatchObject({
      kind: 'admitted',
      isClamped: false,
      hold: { bound, worstMicros: 480n },
    })
  })

  it.each([
    [479n, 2],
    [330n, 2],
    [329n, 1],
    [180n, 1],
  ])(
    'with a balance of %i, the tool uses are reduced to %i before the output is reduced',
    (balance, uses) => {
      expect(ask(balance, bound)).toMatchObject({
        isClamped: false,
        outputTokensPerChoice: 20,
        hold: { bound: { outputTokens: 20, tools: { uses, usesMax: uses } } },
      })
    },
  )

  it('if money is short, the tool uses are reduced before the output, and the provider may use its tools only as often as the hold covers', () => {
    expect(ask(179n, bound)).toMatchObject({
      isClamped: true,
      outputTokensPerChoice: 19,
      hold: { bound: { tools: { uses: 1, usesMax: 1 } } },
    })
    const slice = { ...bound, tools: tools({ usesMax: 5 }) }
    expect(ask(161n, slice)).toMatchObject({
      isClamped: true,
      outputTokensPerChoice: 1,
      hold: { bound: { tools: { uses: 1, usesMax: 1 } } },
    })
  })

  it('the request is rejected if the balance does not cover one tool use and one token', () => {
    expect(ask(160n, bound)).toMatchObject({ kind: 'refused', code: 'insufficient_credit', requested: 161n })
  })
})

describe('extendUses', () => {
  const bound = aBound({ outputTokens: 10, tools: tools({ usesMax: 4 }) })
  const hold = aHold([aLeg('wallet', 160n)], { bound, quote, worstMicros: 160n })
  const wallet = (posted: bigint) => aWallet(posted, { held: 160n })

  it.each([
    [1000n, 1, 2],
    [1000n, 9, 4],
    [460n, 9, 3],
    [310n, 9, 2],
  ])(
    'with a balance of %i, an extension by %i tool uses results in %i held tool uses',
    (posted, more, uses) => {
      const answer = extendUses(aState([wallet(posted)]), hold, more)
      expect(answer).toMatchObject({
        kind: 'extended',
        addedOutputTokens: 0,
        addedToolUses: uses - 1,
        hold: {
          bound: { outputTokens: 10, tools: { uses, usesMax: 4 } },
          worstMicros: 10n + BigInt(uses) * 150n,
        },
      })
    },
  )

  it('extendUses returns `no_room` without money, beyond a limit, for a frozen end user, beyond the maximum number of uses, and without tools', () => {
    const noRoom = { kind: 'no_room' }
    const limits = [aLimit('key_cap', 300n, { heldMicros: 160n })]
    expect(extendUses(aState([wallet(309n)]), hold, 1)).toEqual(noRoom)
    expect(extendUses(aState([wallet(999n)], { limits }), hold, 1)).toEqual(noRoom)
    expect(extendUses(aState([wallet(999n)], { isFrozen: true }), hold, 1)).toEqual(noRoom)
    const last = { ...hold, bound: { ...bound, tools: tools() } }
    expect(extendUses(aState([wallet(999n)]), last, 1)).toEqual(noRoom)
    expect(extendUses(aState([wallet(999n)]), aHold([aLeg('wallet', 10n)]), 1)).toEqual(noRoom)
  })

  it('extendUses throws unless the number of additional uses is a whole number of at least one', () => {
    expect(() => extendUses(aState([wallet(1n)]), hold, 0)).toThrow(MoneyBroken)
    expect(() => extendUses(aState([wallet(1n)]), hold, 0.5)).toThrow(MoneyBroken)
  })
})

it('after an extension for more tool uses, the charge for at most that many uses never exceeds the hold, in money or in credits', () => {
  const amount = fc.bigInt(0n, 3000n)
  fc.assert(
    fc.property(
      fc.record({ credits: amount, pool: amount, wallet: amount }),
      fc.record({ uses: fc.integer({ min: 1, max: 4 }), usesMax: fc.integer({ min: 4, max: 8 }) }),
      fc.integer({ min: 1, max: 8 }),
      fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000)),
      (funds, asked, more, [inputShare, outputShare, useShare]) => {
        const priced = aQuote({ cost: price, sell: price, credits: { ...price, webSearch: 30n } })
        const sources = [aCreditPool('c', funds.credits), aPool('p', funds.pool), aWallet(funds.wallet)]
        const bound = aBound({ textTokens: 20, outputTokens: 30, tools: tools(asked) })
        const admitted = admit(aState(sources), priced, bound, 'call')
        fc.pre(admitted.kind === 'admitted')
        const held = sources.map((source) =>
          admitted.postings.filter(({ sourceId }) => sourceId === source.id).reduce(applyPosting, source),
        )
        const answer = extendUses(aState(held), admitted.hold, more)
        const hold = answer.kind === 'extended' ? answer.hold : admitted.hold
        const after = held.map((source) =>
          (answer.kind === 'extended' ? answer.postings : [])
            .filter(({ sourceId }) => sourceId === source.id)
            .reduce(applyPosting, source),
        )
        const uses = hold.bound.tools?.uses ?? 0
        expect(uses).toBeLessThanOrEqual(hold.bound.tools?.usesMax ?? 0)
        const usage = {
          ...zeroUsage,
          input: Math.floor(((20 + uses * 50) * inputShare) / 1000),
          output: Math.floor((hold.bound.outputTokens * outputShare) / 1000),
          webSearches: Math.floor((uses * useShare) / 1000),
        }
        expect(settle({ hold, usage, sources: after, nowMs: 1000 })).toMatchObject({ overHoldMicros: 0n })
      },
    ),
    { numRuns: 1000 },
  )
})
