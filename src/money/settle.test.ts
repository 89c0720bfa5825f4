import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ceilDiv, MoneyBroken } from './amount.ts'
import {
  aCreditPool,
  aHold,
  aLeg,
  anOnDemand,
  aPool,
  aQuote,
  aWallet,
  MICRO_A_TOKEN,
} from '#tests/fixtures/build-money-values.ts'
import type { Hold, Leg, Quote, Source } from './decision-types.ts'
import type { Posting } from './posting.ts'
import { settle, type Settlement } from './settle.ts'
import { zeroUsage } from './usage-counts.ts'

/** Each output token costs one micro. */
function settled(hold: Hold, output: number, sources: readonly Source[], nowMs = 1000): Settlement {
  return settle({ hold, usage: { ...zeroUsage, output }, sources, nowMs })
}

const moves = (postings: readonly Posting[]) =>
  postings.map(({ entry, heldDelta, postedDelta, sourceId }) => [sourceId, heldDelta, postedDelta, entry])

const paid = (legs: readonly Leg[]) => legs.map(({ amount, sourceId }) => [sourceId, amount])

/** The last leg is the amount by which a settlement overdraws the wallet. */
const owedBy = ({ legs: payers, postings }: Settlement): bigint =>
  postings.some(({ mayOverdraw }) => mayOverdraw) ? (payers.at(-1)?.amount ?? 0n) : 0n

/** The hold consists of 4 from a pool, 3 from the wallet and 5 from on-demand. */
const legs = [aLeg('pool', 4n), aLeg('wallet', 3n), aLeg('on_demand', 5n)]
const funds = (wallet = 3n): Source[] => [
  aPool('pool', 4n, { held: 4n }),
  aWallet(wallet, { held: 3n }),
  anOnDemand(5n, { held: 5n }),
]
const holdOf = (quote: Partial<Quote>): Hold => aHold(legs, { quote: aQuote(quote) })

describe('a charge at or below the hold', () => {
  it('settling takes the charge from each source, and returns the unused part of the hold to each source', () => {
    const hold = aHold([aLeg('wallet', 10n)])
    expect(settled(hold, 6, [aWallet(50n, { held: 10n })])).toEqual({
      costMicros: 6n,
      assumedMicros: 0n,
      billedMicros: 6n,
      chargeMicros: 6n,
      overHoldMicros: 0n,
      legs: [aLeg('wallet', 6n)],
      paid: { planMicros: 0n, walletMicros: 6n, giftMicros: 0n, onDemandMicros: 0n, overdraftMicros: 0n },
      postings: [
        {
          sourceId: 'wallet',
          unit: 'micros',
          heldDelta: -10n,
          postedDelta: -6n,
          entry: 'usage_debit',
          mayOverdraw: false,
        },
      ],
    })
  })

  it.each([
    [0, []],
    [4, [['pool', 4n]]],
    [
      5,
      [
        ['pool', 4n],
        ['wallet', 1n],
      ],
    ],
    [
      7,
      [
        ['pool', 4n],
        ['wallet', 3n],
      ],
    ],
    [
      12,
      [
        ['pool', 4n],
        ['wallet', 3n],
        ['on-demand', 5n],
      ],
    ],
  ])('a charge of %s on a hold of 12 uses the legs in order', (output, expected) => {
    const { legs: payers, postings } = settled(holdOf({}), output, funds())
    expect(paid(payers)).toEqual(expected)
    expect(postings.map(({ heldDelta }) => heldDelta)).toEqual([-4n, -3n, -5n])
    expect(postings.map(({ entry }) => entry !== null)).toEqual([0, 1, 2].map((at) => at < expected.length))
  })

  it('settling ignores balances: if a pool has expired or a wallet is overdrawn, the source still pays the amount that it holds', () => {
    const over = [
      aPool('pool', 4n, { held: 4n, endsAtMs: 5 }),
      aWallet(-50n, { held: 3n }),
      anOnDemand(0n, { held: 5n, isEnabled: false }),
    ]
    const settlement = settled(holdOf({}), 12, over, 9_000_000)
    expect([settlement.chargeMicros, owedBy(settlement)]).toEqual([12n, 0n])
  })

  it('settling does not use a source that could pay now but is not part of the hold', () => {
    const sources = [aPool('other', 99n), ...funds()]
    expect(paid(settled(holdOf({}), 5, sources).legs)).toEqual([
      ['pool', 4n],
      ['wallet', 1n],
    ])
  })

  it('a call with a reported usage of zero is settled', () => {
    expect(settled(holdOf({}), 0, funds())).toMatchObject({ chargeMicros: 0n, legs: [] })
  })

  it('settling charges the price of the debit basis, and records the provider cost and the sell price', () => {
    const prices = { cost: MICRO_A_TOKEN, sell: { output: 3_000_000n } }
    expect(settled(holdOf({ ...prices, basis: 'provider_cost' }), 4, funds())).toMatchObject({
      costMicros: 4n,
      billedMicros: 12n,
      chargeMicros: 4n,
    })
    expect(settled(holdOf({ ...prices, basis: 'sell_price' }), 4, funds())).toMatchObject({
      costMicros: 4n,
      billedMicros: 12n,
      chargeMicros: 12n,
    })
  })

  it('credit pools pay in credits, and the charge counts these credits at their value in money', () => {
    const credits = { output: 2_000_000n }
    const hold = aHold([aLeg('pool', 6n, { unit: 'credits', micros: 3n }), aLeg('wallet', 9n)], {
      quote: aQuote({ credits }),
      worstCredits: 24n,
    })
    const sources = [aCreditPool('pool', 6n, { held: 6n }), aWallet(9n, { held: 9n })]
    // 5 tokens cost 5 micros or 10 credits. The 6 credits of the pool are worth 3 micros.
    const settlement = settled(hold, 5, sources)
    expect(settlement).toMatchObject({ chargeMicros: 5n })
    expect(moves(settlement.postings)).toEqual([
      ['pool', -6n, -6n, 'usage_debit'],
      ['wallet', -9n, -2n, 'usage_debit'],
    ])
    expect(paid(settled(hold, 2, sources).legs)).toEqual([['pool', 4n]])
  })

  it('a call with a credit price of zero does not change its pool', () => {
    const quote = aQuote({ cost: { input: 1_000_000n }, credits: { input: 0n, output: 1_000_000n } })
    const hold = aHold([aLeg('pool', 6n, { unit: 'credits', micros: 3n })], { quote })
    const usage = { ...zeroUsage, input: 3 }
    const sources = [aCreditPool('pool', 6n, { held: 6n })]
    const { chargeMicros, postings } = settle({ hold, usage, sources, nowMs: 1 })
    expect(chargeMicros).toBe(3n)
    expect(moves(postings)).toEqual([['pool', -6n, 0n, null]])
  })

  it('a leg with an amount of zero does not require its source, which may have expired since the call was admitted', () => {
    const free = aHold([aLeg('pool', 0n)], { quote: aQuote({ cost: { input: 0n, output: 0n } }) })
    const settlement = settled(free, 0, [aWallet(50n)])
    expect([settlement.chargeMicros, settlement.postings]).toEqual([0n, []])
  })

  it('a leg with an amount of zero creates no posting', () => {
    const quote = aQuote({ cost: { output: 0n }, credits: { output: 1_000_000n } })
    const hold = aHold([aLeg('wallet', 0n)], { quote, worstCredits: 9n })
    expect(settled(hold, 9, [aWallet(0n)])).toMatchObject({
      chargeMicros: 0n,
      postings: [],
    })
  })
})

it.each(['provider_cost', 'sell_price'] as const)(
  'output beyond the maximum is not charged to the end user (%s)',
  (basis) => {
    const hold = aHold([aLeg('wallet', 100n)], { quote: aQuote({ basis, policy: 'complete_message' }) })
    const sources = [aWallet(500n, { held: 100n })]
    const usage = { ...zeroUsage, output: 10 }
    const plain = settle({ hold, usage, sources, nowMs: 1 })
    const beyond = settle({ hold, usage: { ...usage, outputBeyond: 10 }, sources, nowMs: 1 })
    expect(beyond).toEqual({ ...plain, costMicros: 2n * plain.costMicros })
  },
)

describe('usage above the hold', () => {
  it('for usage above the hold, hard_token charges the hold, and the application pays the rest', () => {
    expect(settled(holdOf({ policy: 'hard_token' }), 20, funds(99n))).toMatchObject({
      costMicros: 20n,
      chargeMicros: 12n,
      overHoldMicros: 8n,
    })
  })

  it('the billed amount is the charged share of the sell price, rounded up once', () => {
    const prices = { cost: MICRO_A_TOKEN, sell: { output: 3_500_000n } }
    const atCost = { ...prices, basis: 'provider_cost' as const }
    // The usage costs 17 micros, of which 12 are charged. The sell price is 59.5, rounded up to 60. The billed amount
    // is 12/17 of 60, which is 42.35, rounded up to 43.
    expect(settled(holdOf(atCost), 17, funds(99n))).toMatchObject({
      costMicros: 17n,
      chargeMicros: 12n,
      billedMicros: 43n,
      overHoldMicros: 5n,
    })
    const atSale = { ...prices, basis: 'sell_price' as const }
    expect(settled(holdOf(atSale), 17, funds(99n))).toMatchObject({
      costMicros: 17n,
      chargeMicros: 12n,
      billedMicros: 12n,
      overHoldMicros: 48n,
    })
  })

  it('if the end user is charged for the whole usage, the whole sell price is billed, for any hold', () => {
    const sell = { output: 3_000_000n }
    expect(settled(holdOf({ sell, policy: 'complete_message' }), 20, funds(99n))).toMatchObject({
      chargeMicros: 20n,
      billedMicros: 60n,
      overHoldMicros: 0n,
    })
  })

  it('the billed amount never exceeds the sell price, and equals the charge if the sell price is the debit basis', () => {
    fc.assert(
      fc.property(
        fc.record({
          sold: fc.bigInt(0n, 9_000_000n),
          cost: fc.bigInt(0n, 9_000_000n),
          isSame: fc.boolean(),
          isSold: fc.boolean(),
          policy: fc.constantFrom('hard_token' as const, 'grace' as const, 'complete_message' as const),
          used: fc.nat(60),
        }),
        ({ cost, isSame, isSold, policy, sold, used }) => {
          const quote = {
            cost: { output: cost },
            sell: { output: isSame ? cost : sold },
            basis: isSold ? ('sell_price' as const) : ('provider_cost' as const),
            policy,
            maxOverdraftMicros: policy === 'grace' ? 3n : 0n,
          }
          const { billedMicros, chargeMicros, overHoldMicros } = settled(holdOf(quote), used, funds(99n))
          const price = (rate: bigint): bigint => ceilDiv(BigInt(used) * rate, 1_000_000n)
          const basis = price(isSold ? quote.sell.output : cost)
          expect(chargeMicros + overHoldMicros).toBe(basis)
          expect(billedMicros).toBeLessThanOrEqual(price(quote.sell.output))
          if (isSame || isSold) expect(billedMicros).toBe(chargeMicros)
        },
      ),
    )
  })

  it('hard_token charges no credits beyond the hold', () => {
    const quote = aQuote({ cost: { output: 0n }, credits: MICRO_A_TOKEN })
    const hold = aHold([aLeg('pool', 6n, { unit: 'credits', micros: 0n })], { quote })
    const settlement = settled(hold, 9, [aCreditPool('pool', 99n, { held: 6n })])
    expect(settlement).toMatchObject({ chargeMicros: 0n, overHoldMicros: 0n })
    expect(paid(settlement.legs)).toEqual([['pool', 6n]])
  })

  it('with the policy `grace`, the charge is at most the hold plus the overdraft, and is taken from the sources that can pay now', () => {
    const grace = holdOf({ policy: 'grace', maxOverdraftMicros: 5n })
    const settlement = settled(grace, 20, [aPool('other', 2n), ...funds(99n)])
    expect(settlement).toMatchObject({ chargeMicros: 17n, overHoldMicros: 3n })
    expect(owedBy(settlement)).toBe(0n)
    expect(paid(settlement.legs)).toEqual([
      ['pool', 4n],
      ['wallet', 3n],
      ['on-demand', 5n],
      ['other', 2n],
      ['wallet', 3n],
    ])
    expect(moves(settlement.postings)).toEqual([
      ['pool', -4n, -4n, 'usage_debit'],
      ['wallet', -3n, -6n, 'usage_debit'],
      ['on-demand', -5n, -5n, 'usage_debit'],
      ['other', 0n, -2n, 'usage_debit'],
    ])
    expect(settled(grace, 14, funds(99n))).toMatchObject({ chargeMicros: 14n, overHoldMicros: 0n })
  })

  it('an amount that no source covers becomes a debt of the wallet, and its posting is marked as an overdraft', () => {
    const settlement = settled(holdOf({ policy: 'complete_message' }), 20, funds(4n))
    expect(settlement).toMatchObject({ chargeMicros: 20n, overHoldMicros: 0n })
    expect(owedBy(settlement)).toBe(7n)
    expect(paid(settlement.legs.slice(3))).toEqual([
      ['wallet', 1n],
      ['wallet', 7n],
    ])
    expect(settlement.postings.filter(({ mayOverdraw }) => mayOverdraw)).toEqual([
      expect.objectContaining({ sourceId: 'wallet', heldDelta: -3n, postedDelta: -11n }),
    ])
  })

  it('a delivered answer is charged to the wallet, even if the pool has no spillover', () => {
    const pool = aPool('pool', 4n, { held: 4n, thenOnDemand: false })
    const hold = aHold([aLeg('pool', 4n)], { quote: aQuote({ policy: 'complete_message' }) })
    const settlement = settled(hold, 6, [pool, aWallet(100n)])
    expect(settlement).toMatchObject({ chargeMicros: 6n })
    expect(owedBy(settlement)).toBe(2n)
    expect(moves(settlement.postings)).toEqual([
      ['pool', -4n, -4n, 'usage_debit'],
      ['wallet', 0n, -2n, 'usage_debit'],
    ])
  })

  it('on-demand billing without a ceiling pays the excess before the wallet is overdrawn', () => {
    const hold = aHold([aLeg('wallet', 3n)], { quote: aQuote({ policy: 'complete_message' }) })
    const settlement = settled(hold, 9, [aWallet(3n, { held: 3n }), anOnDemand(null)])
    expect(owedBy(settlement)).toBe(0n)
    expect(paid(settlement.legs)).toEqual([
      ['wallet', 3n],
      ['on-demand', 6n],
    ])
  })

  it('the hold in credits limits the charge of a call that costs no money', () => {
    const quote = aQuote({ cost: { output: 0n }, credits: MICRO_A_TOKEN, policy: 'complete_message' })
    const hold = aHold([aLeg('pool', 6n, { unit: 'credits', micros: 0n })], { quote })
    const settlement = settled(hold, 9, [aCreditPool('pool', 8n, { held: 6n })])
    expect(paid(settlement.legs)).toEqual([
      ['pool', 6n],
      ['pool', 2n],
    ])
  })
})

describe('settling with a broken ledger', () => {
  const hold = aHold([aLeg('wallet', 10n)])

  it('settling throws if a source is missing, or holds less than its leg', () => {
    expect(() => settled(hold, 1, [])).toThrow(MoneyBroken)
    expect(() => settled(hold, 1, [aWallet(99n, { held: 9n })])).toThrow(MoneyBroken)
  })

  it('settling throws if the legs of the hold do not add up', () => {
    const sources = [aWallet(99n, { held: 10n })]
    expect(() => settled({ ...hold, worstMicros: 11n }, 1, sources)).toThrow(MoneyBroken)
    expect(() => settled(aHold([aLeg('wallet', -1n)]), 1, sources)).toThrow(MoneyBroken)
    expect(() => settled(aHold([aLeg('wallet', 1n, { micros: -1n })]), 1, sources)).toThrow(MoneyBroken)
    const inCredits = aHold([aLeg('pool', 6n, { unit: 'credits' })], { worstCredits: 5n })
    expect(() => settled(inCredits, 1, [aCreditPool('pool', 6n, { held: 6n })])).toThrow(MoneyBroken)
  })

  it('settling throws if a source has another unit than its leg', () => {
    const quote = aQuote({ policy: 'complete_message', credits: MICRO_A_TOKEN })
    const mixed = aHold([aLeg('pool', 10n)], { quote })
    expect(() => settled(mixed, 20, [aCreditPool('pool', 99n, { held: 10n })])).toThrow(MoneyBroken)
  })

  it('settling throws if the usage is impossible', () => {
    expect(() => settled(hold, -1, [aWallet(99n, { held: 10n })])).toThrow(MoneyBroken)
  })

  it('settling throws if the charge creates a debt and no wallet exists', () => {
    const complete = aHold([], { quote: aQuote({ policy: 'complete_message' }) })
    expect(() => settled(complete, 1, [])).toThrow(MoneyBroken)
  })
})
