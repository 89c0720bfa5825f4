/** Compares the amounts that pools carry over with a naive model that simulates every month. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundary } from './periods-and-windows.ts'
import {
  poolChanges,
  poolsAfter,
  type Include,
  type OwnedPool,
  type PoolChanges,
  type Rollover,
} from './plan-pools.ts'

const ANCHOR = Date.parse('2026-01-31T12:00:00Z')
const month = (n: number): number => boundary(ANCHOR, 'month', n)

const include = (amount: bigint, rollover: Rollover | null, fields: Partial<Include> = {}): Include => ({
  slug: 'tokens',
  displayName: 'tokens',
  unit: 'micros',
  currency: null,
  amount,
  priceMicros: null,
  thenOnDemand: true,
  recurring: true,
  spilloverTo: '*',
  models: ['*'],
  memberCap: null,
  modelCount: 3,
  rollover,
  fromMs: 0,
  untilMs: null,
  isUndated: false,
  ...fields,
})

class Person {
  bundleId: string | null = 'pro'
  sinceMs = ANCHOR
  pools: readonly OwnedPool[] = []
  readonly includes: readonly Include[]

  constructor(...includes: readonly Include[]) {
    this.includes = includes
  }

  look(nowMs: number): PoolChanges {
    const { bundleId, pools, sinceMs } = this
    const includes = bundleId === 'pro' ? this.includes : []
    const given = {
      bundleId,
      isRemoved: false,
      includes,
      anchorMs: ANCHOR,
      sinceMs,
      interval: 'month',
      nowMs,
      pools,
    } as const
    const changes = poolChanges(given)
    this.pools = poolsAfter(pools, changes)
    // After each write of pool changes, check that no further change is due.
    const again = poolChanges({ ...given, pools: this.pools }).postings
    if (again.length > 0) throw new Error(`written twice: ${again.length} postings`)
    return changes
  }

  told(nowMs: number): string[] {
    return this.look(nowMs).postings.map(
      ({ entry, postedDelta, reason, sourceId }) =>
        `${sourceId
          .split('/')
          .slice(2)
          .join('/')
          .replace(/\d{5,}/, (ms) =>
            new Date(Number(ms)).toISOString().slice(5, 10),
          )} ${entry} ${postedDelta} ${reason}`,
    )
  }

  use(amount: bigint, nowMs: number): void {
    let left = amount
    const inOrder = this.current(nowMs).toSorted(
      (one, other) => one.source.rank.sequence - other.source.rank.sequence,
    )
    for (const { source } of inOrder) {
      const taken = left < source.posted ? left : source.posted
      left -= taken
      this.pools = this.pools.map((pool) =>
        pool.source.id === source.id
          ? { ...pool, source: { ...pool.source, posted: pool.source.posted - taken } }
          : pool,
      )
    }
  }

  current(nowMs: number): OwnedPool[] {
    return this.pools.filter(
      ({ source }) => source.startsAtMs <= nowMs && nowMs < (source.endsAtMs ?? Infinity),
    )
  }

  free(nowMs: number): bigint {
    return this.current(nowMs).reduce((sum, { source }) => sum + source.posted - source.held, 0n)
  }
}

describe('a rollover', () => {
  it('a rollover moves a share of the unspent amount to the next month, and the rest lapses', () => {
    const person = new Person(include(100n, { percent: 50, periodsMax: 1 }))
    person.look(ANCHOR)
    person.use(69n, ANCHOR)
    expect(person.told(month(1))).toEqual([
      '01-31 reversal -15 rolled_over',
      '02-28/rolled1 grant 15 rolled_over',
      '01-31 reversal -16 expired',
      '02-28 grant 100 included',
    ])
    expect(person.free(month(1))).toBe(115n)
    person.use(5n, month(1))
    expect(person.told(month(2))).toEqual([
      '02-28/rolled1 reversal -10 expired',
      '02-28 reversal -50 rolled_over',
      '03-31/rolled1 grant 50 rolled_over',
      '02-28 reversal -50 expired',
      '03-31 grant 100 included',
    ])
  })

  it('a full rollover carries over the unspent amount of each month for several months', () => {
    const person = new Person(include(100n, { percent: 100, periodsMax: 2 }))
    for (const [n, free] of [100n, 200n, 300n, 300n].entries()) {
      person.look(month(n))
      expect(person.free(month(n))).toBe(free)
    }
  })

  it('credit that is carried over has its share of the price, rounded up', () => {
    const person = new Person(include(3n, { percent: 100, periodsMax: 2 }, { priceMicros: 10n }))
    person.look(ANCHOR)
    person.use(2n, ANCHOR)
    const carried = (nowMs: number): (bigint | null)[][] =>
      person
        .current(nowMs)
        .filter(({ rolled }) => rolled > 0)
        .map(({ priceMicros, source }) => [source.granted, priceMicros])
    person.look(month(1))
    expect(carried(month(1))).toEqual([[1n, 4n]])
    person.look(month(2))
    expect(carried(month(2))).toEqual([
      [1n, 4n],
      [3n, 10n],
    ])
  })

  it('if nothing was written in a month, the credit of the month is carried over later', () => {
    const person = new Person(include(100n, { percent: 50, periodsMax: 3 }))
    person.look(month(7))
    expect(person.free(month(7))).toBe(100n + 50n + 25n + 12n)
    expect(person.pools.filter(({ source }) => source.posted > 0n).map(({ rolled }) => rolled)).toEqual([
      3, 2, 1, 0,
    ])
    expect(person.told(month(7))).toEqual([])
  })

  it('nothing is carried over from months before the end user joined the plan', () => {
    const person = new Person(include(100n, { percent: 100, periodsMax: 12 }))
    person.sinceMs = month(4) + 5
    person.look(month(6))
    expect(person.free(month(6))).toBe(300n)
  })

  it('credit is carried over by the terms of the month in which it was granted', () => {
    const person = new Person(
      include(100n, null, { untilMs: month(1) }),
      include(10n, { percent: 100, periodsMax: 12 }, { fromMs: month(1), untilMs: month(2) + 1 }),
      include(7n, null, { fromMs: month(2) + 1 }),
    )
    person.look(month(3))
    // Nothing is carried over from the first month. Credit of the second and third months is carried over by the terms
    // of the month in which it was granted.
    expect(person.free(month(3))).toBe(10n + 10n + 7n)
  })

  it('nothing is carried over from one-time included pools or other plans, or from amounts that calls return later', () => {
    const once = new Person(include(100n, { percent: 100, periodsMax: 1 }, { recurring: false }))
    once.look(ANCHOR)
    expect(once.pools).toMatchObject([{ rollover: null, rolled: 0 }])
    expect(once.told(month(1))).toEqual([])

    const left = new Person(include(100n, { percent: 100, periodsMax: 1 }))
    left.look(ANCHOR)
    left.bundleId = 'other'
    left.sinceMs = ANCHOR + 5
    expect(left.told(ANCHOR + 5)).toEqual(['01-31 reversal -100 plan_changed'])
    expect(left.told(month(1))).toEqual([])

    const holding = new Person(include(100n, { percent: 100, periodsMax: 1 }))
    holding.look(ANCHOR)
    const hold = (held: bigint): void => {
      holding.pools = holding.pools.map((pool, at) =>
        at === 0 ? { ...pool, source: { ...pool.source, held } } : pool,
      )
    }
    hold(40n)
    expect(holding.told(month(1))).toEqual([
      '01-31 reversal -60 rolled_over',
      '02-28/rolled1 grant 60 rolled_over',
      '02-28 grant 100 included',
    ])
    hold(0n)
    expect(holding.told(month(1) + 5)).toEqual(['01-31 reversal -40 expired'])
  })

  it('nothing is carried over if the share to carry over is less than one unit', () => {
    const person = new Person(include(1n, { percent: 99, periodsMax: 1 }))
    person.look(ANCHOR)
    expect(person.told(month(1))).toEqual(['01-31 reversal -1 expired', '02-28 grant 1 included'])
  })

  it('carried-over credit is removed when the end user leaves the plan and given back on return, and usage on another plan never reduces it', () => {
    const person = new Person(include(100n, { percent: 100, periodsMax: 1 }))
    person.look(ANCHOR)
    person.look(month(1))
    person.use(30n, month(1))
    person.bundleId = 'other'
    expect(person.told(month(1) + 1)).toEqual([
      '02-28/rolled1 reversal -70 plan_changed',
      '02-28 reversal -100 plan_changed',
    ])
    person.bundleId = 'pro'
    expect(person.told(month(1) + 2)).toEqual([
      '02-28/rolled1 adjustment 70 plan_changed',
      '02-28 adjustment 100 plan_changed',
    ])
  })

  it('rollovers equal a naive model that simulates every month, regardless of when the pools are read', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.record({ skip: fc.nat(6), use: fc.nat(3000) }), { minLength: 1, maxLength: 8 }),
        (percent, periodsMax, amount, visits) => {
          const person = new Person(include(BigInt(amount), { percent, periodsMax }))
          // The newest pool is first.
          let ages: number[] = [amount]
          let at = 0
          for (const { skip, use } of visits) {
            for (let passed = 0; passed < skip; passed++) {
              const carried = ages.slice(0, periodsMax).map((units) => Math.floor((units * percent) / 100))
              ages = [amount, ...carried]
              at += 1
            }
            person.look(month(at))
            expect(person.free(month(at))).toBe(BigInt(ages.reduce((sum, units) => sum + units, 0)))
            person.use(BigInt(use), month(at))
            let left = use
            for (let age = ages.length - 1; age >= 0; age--) {
              const taken = Math.min(left, ages[age] ?? 0)
              ages[age] = (ages[age] ?? 0) - taken
              left -= taken
            }
            for (const { source } of person.pools) {
              expect(source.posted).toBeGreaterThanOrEqual(0n)
              expect(source.posted + source.expired + source.withheld).toBeLessThanOrEqual(source.granted)
            }
          }
        },
      ),
    )
  })
})
