import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import {
  aCreditPool,
  anOnDemand,
  aPool,
  aQuote,
  aWallet,
  MICRO_A_TOKEN,
} from '#tests/fixtures/build-money-values.ts'
import type { PoolSource, Quote, Source } from './decision-types.ts'
import {
  allocate,
  available,
  isCovered,
  payersOfLegs,
  overdueOnDemand,
  overflowOf,
  payersOfSources,
  payingSources,
  type Payer,
} from './payment-sources.ts'

const inCredits = aQuote({ credits: MICRO_A_TOKEN })

const order = (sources: readonly Source[], quote: Quote = inCredits, nowMs = 1000): string[] =>
  payingSources('acme/model', quote, { nowMs, sources }).map(({ id }) => id)

const ranked = (
  slug: string,
  rank: Partial<PoolSource['rank']>,
  fields: Partial<PoolSource> = {},
): PoolSource =>
  aPool(slug, 10n, { ...fields, rank: { models: 1, endsAtMs: 100, isPaid: false, sequence: 1, ...rank } })

describe('available', () => {
  it.each<[string, Source, bigint | null]>([
    ['a pool has its posted amount minus its held amount', aPool('p', 10n, { held: 4n }), 6n],
    ['a wallet may have a negative amount', aWallet(-5n, { held: 4n }), -9n],
    [
      'on-demand billing has the amount of its ceiling minus the spent and held amounts',
      anOnDemand(100n, { posted: -30n, held: 20n }),
      50n,
    ],
    ['a lowered ceiling may leave a negative amount', anOnDemand(10n, { posted: -30n }), -20n],
    ['on-demand billing without a ceiling has no limit', anOnDemand(null, { posted: -30n }), null],
    ['disabled on-demand billing has an amount of 0', anOnDemand(null, { isEnabled: false }), 0n],
  ])('%s', (_rule, source, amount) => {
    expect(available(source)).toBe(amount)
  })
})

describe('payingSources', () => {
  it('pools pay first, then the wallet, and then on-demand', () => {
    expect(order([anOnDemand(5n), aWallet(5n), aPool('p', 5n)])).toEqual(['p', 'wallet', 'on-demand'])
  })

  it('the list contains every source that may pay, including exhausted sources', () => {
    expect(order([aWallet(0n), aPool('p', 0n)])).toEqual(['p', 'wallet'])
  })

  it('on-demand pays only if it is enabled, and only in its own month', () => {
    expect(order([aWallet(5n), anOnDemand(5n, { isEnabled: false })])).toEqual(['wallet'])
    const month = anOnDemand(5n, { startsAtMs: 100, endsAtMs: 200 })
    expect(order([month], inCredits, 99)).toEqual([])
    expect(order([month], inCredits, 100)).toEqual(['on-demand'])
    expect(order([month], inCredits, 199)).toEqual(['on-demand'])
    expect(order([month], inCredits, 200)).toEqual([])
  })

  it('on-demand pays until the instant at which an invoice becomes past due', () => {
    const owing = anOnDemand(5n, { untilMs: 100 })
    expect(order([owing], inCredits, 99)).toEqual(['on-demand'])
    expect(order([owing], inCredits, 100)).toEqual([])
  })

  it('a late call in a closed month is debited to the following month', () => {
    const closed = anOnDemand(5n, { id: 'closed', startsAtMs: 0, endsAtMs: 100, closedUntilMs: 100 })
    const next = anOnDemand(5n, { id: 'next', startsAtMs: 100, endsAtMs: 200, closedUntilMs: 100 })
    expect(order([closed, next], inCredits, 99)).toEqual(['next'])
    expect(
      order(
        [
          { ...closed, closedUntilMs: 0 },
          { ...next, closedUntilMs: 0 },
        ],
        inCredits,
        99,
      ),
    ).toEqual(['closed'])
  })

  it('an on-demand source that a past-due invoice blocks is returned separately', () => {
    const overdue = anOnDemand(5n, { untilMs: 100 })
    const paying = (sources: Source[], nowMs: number) =>
      overdueOnDemand(payingSources('acme/smart', inCredits, { nowMs, sources }), { nowMs, sources })
    expect(paying([aWallet(0n), overdue], 100)).toBe(overdue)
    expect(paying([aWallet(0n), overdue], 99)).toBeNull()
    expect(paying([aWallet(0n)], 100)).toBeNull()
    expect(paying([anOnDemand(5n, { untilMs: 100, isEnabled: false })], 100)).toBeNull()
    expect(paying([aPool('p', 0n, { thenOnDemand: false }), overdue], 100)).toBeNull()
    expect(paying([aPool('p', 0n, { thenOnDemand: true }), overdue], 100)).toBe(overdue)
  })

  it('a pool pays for the model names that it covers', () => {
    expect(
      order([aPool('p', 5n, { models: ['other/*'] }), aPool('q', 5n, { models: ['x', 'acme/*'] })]),
    ).toEqual(['q'])
    expect(order([aPool('p', 5n, { models: [] })])).toEqual([])
  })

  it('a pool pays from its start until its end, which is exclusive', () => {
    const pool = aPool('p', 5n, { startsAtMs: 100, endsAtMs: 200 })
    expect([99, 100, 199, 200].map((nowMs) => order([pool], inCredits, nowMs))).toEqual([
      [],
      ['p'],
      ['p'],
      [],
    ])
  })

  it('a credit pool pays only for model names with a price in credits', () => {
    const sources = [aCreditPool('c', 5n), aWallet(5n)]
    expect(order(sources)).toEqual(['c', 'wallet'])
    expect(order(sources, aQuote())).toEqual(['wallet'])
  })

  it.each<[string, PoolSource, PoolSource]>([
    ['fewest models', ranked('a', { models: 1, endsAtMs: 200 }), ranked('b', { models: 2, endsAtMs: 100 })],
    ['soonest end', ranked('a', { endsAtMs: 100, isPaid: true }), ranked('b', { endsAtMs: 200 })],
    ['free before paid', ranked('a', { sequence: 2 }), ranked('b', { isPaid: true, sequence: 1 })],
    ['sequence', ranked('a', { sequence: 1 }), ranked('b', { sequence: 2 })],
  ])('pools are ranked by %s', (_field, first, second) => {
    expect(order([first, second])).toEqual(['a', 'b'])
    expect(order([second, first])).toEqual(['a', 'b'])
  })

  it('the pool into which a pool overflows comes next, regardless of the ranks', () => {
    const [a, b, c] = [
      ranked('a', { sequence: 1 }, { spilloverTo: 'c' }),
      ranked('b', { sequence: 2 }),
      ranked('c', { sequence: 3 }),
    ]
    expect(order([a, b, c])).toEqual(['a', 'c', 'b'])
  })

  it('each pool is followed by the pool into which it overflows, even if the last pool overflows into the first', () => {
    const [a, b, c] = [
      ranked('a', { sequence: 1 }, { spilloverTo: 'c' }),
      ranked('b', { sequence: 2 }, { spilloverTo: 'a' }),
      ranked('c', { sequence: 3 }, { spilloverTo: 'b' }),
    ]
    expect(order([a, b, c])).toEqual(['a', 'c', 'b'])
  })

  it('the sequence of pools ends at a pool that overflows into nothing, or into a pool that does not cover the model name', () => {
    const b = ranked('b', { sequence: 2 })
    const nothing = ranked('a', { sequence: 1 }, { spilloverTo: null })
    expect(order([nothing, b, aWallet(5n)])).toEqual(['a', 'wallet'])
    const named = ranked('a', { sequence: 1 }, { spilloverTo: 'c' })
    const c = ranked('c', { sequence: 3 }, { models: ['other'] })
    expect(order([named, b, c, aWallet(5n)])).toEqual(['a', 'wallet'])
  })

  it('after a pool that does not overflow, no other pool pays', () => {
    const a = ranked('a', { sequence: 1 }, { spilloverTo: null, thenOnDemand: false })
    expect(order([a, ranked('b', { sequence: 2 }), aWallet(5n)])).toEqual(['a'])
  })

  it('a pool that is suspended with its plan pays nothing and excludes no other source', () => {
    const suspended = aPool('a', 5n, { isSuspended: true, thenOnDemand: false })
    expect(order([suspended, aWallet(5n)])).toEqual(['wallet'])
  })

  it('if the last pool allows no other source, wallet and on-demand do not pay', () => {
    const [a, b] = [ranked('a', { sequence: 1 }), ranked('b', { sequence: 2 }, { thenOnDemand: false })]
    expect(order([a, b, aWallet(5n), anOnDemand(5n)])).toEqual(['a', 'b'])
  })

  it('if a pool allows no other source, no other source pays until the period of the pool ends, even if the pool is exhausted', () => {
    const spent = aPool('a', 0n, { thenOnDemand: false, endsAtMs: 100 })
    expect(order([spent, aWallet(5n)], inCredits, 99)).toEqual(['a'])
    expect(order([spent, aWallet(5n)], inCredits, 100)).toEqual(['wallet'])
  })

  it('if another pool follows, a pool that allows no other source excludes nothing', () => {
    const [a, b] = [ranked('a', { sequence: 1 }, { thenOnDemand: false }), ranked('b', { sequence: 2 })]
    expect(order([a, b, aWallet(5n)])).toEqual(['a', 'b', 'wallet'])
  })

  it('a pool excludes other sources only for the model names that it covers', () => {
    const other = ranked('a', {}, { models: ['other'], thenOnDemand: false })
    expect(order([other, aWallet(5n)])).toEqual(['wallet'])
  })
})

describe('overflowOf', () => {
  const both = [
    { alias: 'acme/a', hasCreditPrice: false },
    { alias: 'acme/b', hasCreditPrice: true },
  ]
  const next = (pool: PoolSource, ...sources: PoolSource[]): string | null =>
    overflowOf(pool, both, { nowMs: 1000, sources: [pool, ...sources] })?.slug ?? null

  it('overflowOf returns the pool that pays next, whether it is named or follows by rank', () => {
    const b = ranked('b', { sequence: 2 })
    const c = ranked('c', { sequence: 3 })
    expect(next(ranked('a', { sequence: 1 }), b, c)).toBe('b')
    expect(next(ranked('a', { sequence: 1 }, { spilloverTo: 'c' }), b, c)).toBe('c')
  })

  it('overflowOf returns null for the last pool and for a pool that overflows into nothing', () => {
    expect(next(ranked('z', { sequence: 9 }), ranked('b', { sequence: 2 }))).toBeNull()
    expect(next(ranked('a', { sequence: 1 }, { spilloverTo: null }), ranked('b', { sequence: 2 }))).toBeNull()
  })

  it('overflowOf uses the first model name that this pool covers and for which another pool follows', () => {
    const credits = aCreditPool('c', 5n, { models: ['acme/b'] })
    expect(next(credits, ranked('b', { models: 5, sequence: 2 }))).toBe('b')
    expect(next(aPool('a', 5n, { models: ['other'] }), ranked('b', { sequence: 2 }))).toBeNull()
  })
})

describe('payersOfSources', () => {
  it('credit pools do not pay for a call that costs no credits, because such calls would never exhaust a pool', () => {
    const sources = [aCreditPool('c', 5n), aWallet(7n)]
    const pool = { sourceId: 'c', kind: 'pool', unit: 'credits', capacity: 5n }
    const wallet = { sourceId: 'wallet', kind: 'wallet', unit: 'micros', capacity: 7n }
    expect(payersOfSources(sources, 1n)).toEqual([pool, wallet])
    expect(payersOfSources(sources, 0n)).toEqual([wallet])
  })
})

const micros = (sourceId: string, capacity: bigint | null): Payer => ({
  sourceId,
  kind: 'wallet',
  unit: 'micros',
  capacity,
})
const credits = (sourceId: string, capacity: bigint | null): Payer => ({
  sourceId,
  kind: 'pool',
  unit: 'credits',
  capacity,
})

describe('allocate', () => {
  const table: [string, bigint, bigint, Payer[], [string, bigint, bigint][], [bigint, bigint]][] = [
    ['one source pays all', 10n, 0n, [micros('a', 10n)], [['a', 10n, 10n]], [0n, 0n]],
    ['what is missing is said', 10n, 0n, [micros('a', 9n)], [['a', 9n, 9n]], [1n, 0n]],
    [
      'sources pay in order',
      10n,
      0n,
      [micros('a', 4n), micros('b', 9n)],
      [
        ['a', 4n, 4n],
        ['b', 6n, 6n],
      ],
      [0n, 0n],
    ],
    ['no ceiling pays all', 10n, 0n, [micros('a', null)], [['a', 10n, 10n]], [0n, 0n]],
    [
      'sources with an empty or negative balance pay nothing',
      10n,
      0n,
      [micros('a', 0n), micros('b', -5n)],
      [],
      [10n, 0n],
    ],
    [
      'sources after the last needed source pay nothing',
      10n,
      0n,
      [micros('a', 10n), micros('b', 9n)],
      [['a', 10n, 10n]],
      [0n, 0n],
    ],
    ['credits pay everything if they suffice', 10n, 3n, [credits('c', 3n)], [['c', 3n, 10n]], [0n, 0n]],
    ['credits without a ceiling pay everything', 10n, 3n, [credits('c', null)], [['c', 3n, 10n]], [0n, 0n]],
    [
      'credits pay for their share of the price, and the value of this share in money is rounded down',
      10n,
      3n,
      [credits('c', 1n), micros('w', 9n)],
      [
        ['c', 1n, 3n],
        ['w', 7n, 7n],
      ],
      [0n, 0n],
    ],
    [
      'if money pays first, the larger rest of credits remains',
      10n,
      3n,
      [micros('w', 3n), credits('c', 9n)],
      [
        ['w', 3n, 3n],
        ['c', 3n, 7n],
      ],
      [0n, 0n],
    ],
    ['empty credits give nothing', 10n, 3n, [credits('c', 0n), credits('d', -1n)], [], [10n, 3n]],
    ['an unpaid rest remains in both units', 10n, 3n, [credits('c', 1n)], [['c', 1n, 3n]], [7n, 2n]],
    [
      'a call with a price of 0 in both units has no leg',
      0n,
      0n,
      [micros('a', 5n), credits('c', 5n)],
      [],
      [0n, 0n],
    ],
    [
      'a call that is free in money still uses credits',
      0n,
      3n,
      [credits('c', 2n), credits('d', 9n)],
      [
        ['c', 2n, 0n],
        ['d', 1n, 0n],
      ],
      [0n, 0n],
    ],
    [
      'a call that is free in money can use an empty wallet',
      0n,
      3n,
      [credits('c', 2n), micros('w', 0n)],
      [
        ['c', 2n, 0n],
        ['w', 0n, 0n],
      ],
      [0n, 0n],
    ],
    [
      'a call that is free in credits is paid in full by a credit leg of 0',
      10n,
      0n,
      [credits('c', 2n)],
      [['c', 0n, 10n]],
      [0n, 0n],
    ],
  ]
  it.each(table)('%s', (_rule, dueMicros, dueCredits, payers, legs, uncovered) => {
    const allocation = allocate(dueMicros, dueCredits, payers)
    expect(allocation.legs.map((leg) => [leg.sourceId, leg.amount, leg.micros])).toEqual(legs)
    expect([allocation.uncoveredMicros, allocation.uncoveredCredits]).toEqual(uncovered)
    expect(isCovered(allocation)).toBe(uncovered[0] === 0n && uncovered[1] === 0n)
  })

  it('allocate throws for a negative price', () => {
    expect(() => allocate(-1n, 0n, [])).toThrow(MoneyBroken)
    expect(() => allocate(0n, -1n, [])).toThrow(MoneyBroken)
  })

  const anyPayers = fc
    .array(fc.tuple(fc.boolean(), fc.option(fc.bigInt(-5n, 200n), { freq: 12 })), { maxLength: 5 })
    .map((list) =>
      list.map(([isMoney, capacity], at) =>
        isMoney ? micros(`${at}`, capacity) : credits(`${at}`, capacity),
      ),
    )
  const due = fc.tuple(fc.bigInt(0n, 300n), fc.bigInt(0n, 300n))

  it('allocate loses no micro, takes at most the available amounts, and uses the sources in order', () => {
    fc.assert(
      fc.property(due, anyPayers, ([dueMicros, dueCredits], payers) => {
        const { legs, uncoveredMicros } = allocate(dueMicros, dueCredits, payers)
        expect(legs.reduce((sum, leg) => sum + leg.micros, uncoveredMicros)).toBe(dueMicros)
        const asked = legs.map(({ sourceId }) => Number(sourceId))
        expect(asked).toEqual(asked.toSorted((one, other) => one - other))
        const capacities = legs.map(({ sourceId }) => payers[Number(sourceId)]?.capacity ?? null)
        expect(legs.every(({ amount }) => amount >= 0n)).toBe(true)
        expect(legs.every(({ amount }, at) => amount <= (capacities[at] ?? amount) || amount === 0n)).toBe(
          true,
        )
        // All sources except the last are used completely. A charge can therefore use the legs of a hold in order.
        expect(legs.slice(0, -1).map(({ amount }) => amount)).toEqual(capacities.slice(0, -1))
      }),
      { numRuns: 3000 },
    )
  })

  it('if a call fits, a smaller call fits too, and fits into the larger call’s legs', () => {
    fc.assert(
      fc.property(
        due,
        fc.tuple(fc.nat(1000), fc.nat(1000)),
        anyPayers,
        ([dueMicros, dueCredits], [m, c], payers) => {
          const large = allocate(dueMicros, dueCredits, payers)
          fc.pre(isCovered(large))
          // Test every smaller pair of prices, not only pairs with the same ratio, because the two prices are
          // independent.
          const lessMicros = (dueMicros * BigInt(m)) / 1000n
          const lessCredits = (dueCredits * BigInt(c)) / 1000n
          expect(isCovered(allocate(lessMicros, lessCredits, payers))).toBe(true)
          const within = allocate(lessMicros, lessCredits, payersOfLegs(large.legs))
          expect(isCovered(within)).toBe(true)
          within.legs.forEach((leg, at) => {
            expect(leg.sourceId).toBe(large.legs[at]?.sourceId)
            expect(leg.amount).toBeLessThanOrEqual(large.legs[at]?.amount ?? -1n)
          })
        },
      ),
      { numRuns: 5000 },
    )
  })
})
