import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayMs } from './periods-and-windows.ts'
import { MoneyBroken } from './amount.ts'
import {
  includeOf,
  poolChanges,
  poolsAfter,
  type Include,
  type OwnedPool,
  type PoolChanges,
  type PoolsInput,
} from './plan-pools.ts'
import { boundary } from './periods-and-windows.ts'

const ANCHOR = Date.parse('2026-01-31T12:00:00Z')
const SECOND_MONTH = boundary(ANCHOR, 'month', 1)

const include = (slug: string, amount: bigint, fields: Partial<Include> = {}): Include => ({
  slug,
  displayName: slug,
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
  fromMs: 0,
  untilMs: null,
  isUndated: false,
  rollover: null,
  ...fields,
})

const once = (slug: string, amount: bigint): Include => include(slug, amount, { recurring: false })
const stars = (slug: string, amount: bigint, currency = 'stars'): Include =>
  include(slug, amount, { unit: 'credits', currency })

function changes(includes: readonly Include[], fields: Partial<PoolsInput> = {}): PoolChanges {
  return poolChanges({
    bundleId: 'pro',
    isRemoved: false,
    includes,
    anchorMs: ANCHOR,
    sinceMs: ANCHOR,
    interval: 'month',
    nowMs: ANCHOR,
    pools: [],
    ...fields,
  })
}

class Person {
  bundleId: string | null = 'pro'
  isRemoved = false
  sinceMs = ANCHOR
  nowMs = ANCHOR
  interval: PoolsInput['interval'] = 'month'
  pools: OwnedPool[] = []
  includes: Readonly<Record<string, readonly Include[]>>

  constructor(includes: Readonly<Record<string, readonly Include[]>>) {
    this.includes = includes
    this.bringUp()
  }

  /** Returns the written ledger entries as slug, kind, amount and reason. */
  bringUp(): string[] {
    const { bundleId, interval, isRemoved, nowMs, pools, sinceMs } = this
    const found = changes(this.includes[bundleId ?? ''] ?? [], {
      bundleId,
      isRemoved,
      interval,
      nowMs,
      pools,
      sinceMs,
    })
    this.pools = poolsAfter(pools, found)
    return found.postings.map(
      ({ entry, postedDelta, reason, sourceId }) =>
        `${sourceId.split('/').slice(0, 2).join('/')} ${entry} ${postedDelta} ${reason}`,
    )
  }

  to(bundleId: string | null): string[] {
    this.bundleId = bundleId
    this.sinceMs = this.nowMs
    this.pools = this.pools.map((pool) => ({
      ...pool,
      source: { ...pool.source, isSuspended: pool.bundleId !== bundleId },
    }))
    return this.bringUp()
  }

  at(nowMs: number): string[] {
    this.nowMs = nowMs
    return this.bringUp()
  }

  #move(slug: string, by: { readonly posted?: bigint; readonly held?: bigint }): void {
    this.pools = this.pools.map((pool) => {
      const { source } = pool
      if (`${pool.bundleId}/${source.slug}` !== slug || source.expired > 0n) return pool
      return {
        ...pool,
        source: { ...source, posted: source.posted + (by.posted ?? 0n), held: source.held + (by.held ?? 0n) },
      }
    })
  }

  use(slug: string, amount: bigint): void {
    this.#move(slug, { posted: -amount })
  }

  hold(slug: string, amount: bigint): void {
    this.#move(slug, { held: amount })
  }

  settle(slug: string, held: bigint, amount: bigint): void {
    this.#move(slug, { held: -held, posted: -amount })
  }

  free(): [string, bigint][] {
    return this.pools
      .filter(({ source }) => !source.isSuspended && (source.endsAtMs ?? Infinity) > this.nowMs)
      .map(({ source }) => [source.slug, source.posted - source.held])
  }
}

describe('a grant', () => {
  it('a grant lasts one month, and its terms do not change', () => {
    const fields = { priceMicros: 5n, thenOnDemand: false, spilloverTo: 'other', models: ['acme/*'] }
    const { granted, postings, untilMs } = changes([include('tokens', 100n, fields)])
    const id = `pro/tokens/${ANCHOR}`
    expect(granted).toEqual([
      {
        source: {
          kind: 'pool',
          id,
          slug: 'tokens',
          unit: 'micros',
          currency: null,
          posted: 0n,
          held: 0n,
          granted: 100n,
          withheld: 0n,
          expired: 0n,
          isSuspended: false,
          rank: { models: 3, endsAtMs: SECOND_MONTH, isPaid: true, sequence: 1 },
          models: ['acme/*'],
          memberCap: null,
          spilloverTo: 'other',
          thenOnDemand: false,
          startsAtMs: ANCHOR,
          endsAtMs: SECOND_MONTH,
        },
        bundleId: 'pro',
        displayName: 'tokens',
        recurring: true,
        rollover: null,
        rolled: 0,
        priceMicros: 5n,
      },
    ])
    expect(postings).toEqual([
      {
        sourceId: id,
        unit: 'micros',
        heldDelta: 0n,
        postedDelta: 100n,
        entry: 'grant',
        reason: 'included',
        mayOverdraw: false,
      },
    ])
    expect(untilMs).toBe(SECOND_MONTH)
  })

  it('a grant ranks as free if its included pool has no price or a price of 0, and grants rank in the order of the included pools', () => {
    const { granted } = changes([
      include('a', 1n),
      include('b', 1n, { priceMicros: 0n }),
      include('c', 1n, { priceMicros: 1n }),
    ])
    expect(granted.map(({ source }) => [source.rank.isPaid, source.rank.sequence])).toEqual([
      [false, 1],
      [false, 2],
      [true, 3],
    ])
  })

  it('a grant is in the credit currency if the included pool is in credits', () => {
    const { granted, postings } = changes([stars('stars', 9n)])
    expect(granted[0]?.source).toMatchObject({ unit: 'credits', currency: 'stars' })
    expect(postings[0]).toMatchObject({ unit: 'credits' })
    expect(() => changes([include('stars', 9n, { unit: 'credits' })])).toThrow(MoneyBroken)
    expect(() => changes([include('stars', 9n, { currency: 'stars' })])).toThrow(MoneyBroken)
    expect(() => changes([include('nothing', 0n)])).toThrow(MoneyBroken)
  })

  it('a grant is created only once, however often `poolChanges` runs', () => {
    const person = new Person({ pro: [include('tokens', 100n), once('bonus', 5n)] })
    expect(person.pools).toHaveLength(2)
    for (const nowMs of [ANCHOR, ANCHOR + dayMs, SECOND_MONTH - 1]) expect(person.at(nowMs)).toEqual([])
  })

  it('a recurring grant is created again for the next month, which starts when the first month ends', () => {
    const person = new Person({ pro: [include('tokens', 100n)] })
    person.at(SECOND_MONTH)
    expect(person.pools.map(({ source }) => [source.startsAtMs, source.endsAtMs])).toEqual([
      [ANCHOR, SECOND_MONTH],
      [SECOND_MONTH, boundary(ANCHOR, 'month', 2)],
    ])
  })

  it('recurring grants are also monthly on a yearly bundle', () => {
    const nowMs = boundary(ANCHOR, 'month', 5) + 1
    const [pool] = changes([include('tokens', 100n)], { interval: 'year', nowMs }).granted
    expect(pool?.source.startsAtMs).toBe(boundary(ANCHOR, 'month', 5))
    expect(pool?.source.endsAtMs).toBe(boundary(ANCHOR, 'month', 6))
  })

  it('a sign-up grant never expires, and is created even if the end user joined the plan years ago', () => {
    const [pool] = changes([once('bonus', 5n)]).granted
    expect(pool?.source).toMatchObject({
      id: 'pro/bonus/once',
      endsAtMs: null,
      rank: { endsAtMs: Number.MAX_SAFE_INTEGER },
    })
    const [late] = changes([once('bonus', 5n)], { nowMs: boundary(ANCHOR, 'year', 3) }).granted
    expect(late?.source).toMatchObject({ id: 'pro/bonus/once', granted: 5n, endsAtMs: null })
  })

  describe('a grant has the terms that applied when it became due, even if it is written later', () => {
    const grants = (includes: readonly Include[], nowMs: number, sinceMs = ANCHOR): [string, bigint][] =>
      changes(includes, { nowMs, sinceMs }).granted.map(({ source }) => [source.slug, source.granted])
    const edited = (at: number, recurring: boolean): Include[] => [
      include('tokens', 1000n, { recurring, untilMs: at }),
      include('tokens', 1n, { recurring, fromMs: at }),
    ]

    it('a one-time included pool is granted on the terms that applied when the end user joined the plan', () => {
      for (const nowMs of [ANCHOR, ANCHOR + dayMs, SECOND_MONTH, boundary(ANCHOR, 'year', 2)]) {
        expect(grants(edited(ANCHOR + 1, false), nowMs)).toEqual([['tokens', 1000n]])
        expect(grants(edited(ANCHOR, false), nowMs)).toEqual([['tokens', 1n]])
      }
      expect(grants(edited(SECOND_MONTH, false), SECOND_MONTH, SECOND_MONTH - 1)).toEqual([['tokens', 1000n]])
    })

    it('a one-time included pool that is removed after the end user joined is still granted, and a pool that is added later is not', () => {
      const removed = include('bonus', 5n, { recurring: false, untilMs: ANCHOR + dayMs })
      const added = include('late', 5n, { recurring: false, fromMs: ANCHOR + 1 })
      expect(grants([removed, added], ANCHOR + 2 * dayMs)).toEqual([['bonus', 5n]])
    })

    it('a recurring included pool keeps the terms that applied at the beginning of the month, or at a later start of the plan', () => {
      expect(grants(edited(ANCHOR + dayMs, true), ANCHOR + 2 * dayMs)).toEqual([['tokens', 1000n]])
      expect(grants(edited(ANCHOR + dayMs, true), SECOND_MONTH)).toEqual([['tokens', 1n]])
      expect(grants(edited(SECOND_MONTH, true), SECOND_MONTH)).toEqual([['tokens', 1n]])
      expect(grants(edited(SECOND_MONTH + 1, true), SECOND_MONTH + dayMs)).toEqual([['tokens', 1000n]])
      expect(grants(edited(ANCHOR + dayMs, true), ANCHOR + 2 * dayMs, ANCHOR + dayMs)).toEqual([
        ['tokens', 1n],
      ])
    })

    it('a newly added recurring included pool is first granted in the next month', () => {
      const added = include('late', 5n, { fromMs: ANCHOR + dayMs })
      expect(grants([added], ANCHOR + 2 * dayMs)).toEqual([])
      expect(grants([added], SECOND_MONTH)).toEqual([['late', 5n]])
    })

    it('overlapping terms of an included pool create only one grant', () => {
      expect(grants([include('tokens', 7n), include('tokens', 8n)], ANCHOR)).toEqual([['tokens', 7n]])
    })

    it('if its terms have no date, a one-time included pool is granted only to end users in their first period', () => {
      const undated = { isUndated: true, fromMs: SECOND_MONTH + 5 }
      const terms = [include('tokens', 7n, undated), include('bonus', 5n, { ...undated, recurring: false })]
      const both = [
        ['tokens', 7n],
        ['bonus', 5n],
      ]
      expect(grants(terms, SECOND_MONTH - 1)).toEqual(both)
      expect(grants(terms, SECOND_MONTH)).toEqual([['tokens', 7n]])
      // If the terms already applied when the end user joined the plan, the one-time included pool is granted even
      // months later. An end user who joined the plan in a later period is treated as signed up in that period.
      expect(grants(terms, boundary(ANCHOR, 'month', 9), SECOND_MONTH + 5)).toEqual(both)
      expect(grants(terms, boundary(ANCHOR, 'month', 2) - 1, SECOND_MONTH)).toEqual(both)
      expect(changes(terms, { interval: 'year', nowMs: SECOND_MONTH }).granted).toHaveLength(2)
      const ended = [include('bonus', 5n, { ...undated, recurring: false, untilMs: ANCHOR })]
      expect(grants(ended, ANCHOR)).toEqual([])
    })
  })

  it('a grant is created only if no pool of the same bundle, slug and kind exists', () => {
    const person = new Person({ pro: [include('tokens', 100n)], free: [include('tokens', 100n)] })
    const [pool] = person.pools
    if (pool === undefined) throw new Error('a pool was granted')
    const grants = (includes: readonly Include[], bundleId = 'pro'): number =>
      changes(includes, { bundleId, pools: [pool] }).granted.length
    expect(grants([include('tokens', 1n)])).toBe(0)
    expect(grants([include('tokens', 1n)], 'free')).toBe(1)
    expect(grants([include('other', 1n)])).toBe(1)
    expect(grants([once('tokens', 1n)])).toBe(1)
  })

  it('after an included pool is changed to recurring, its monthly pool does not conflict with its sign-up pool', () => {
    const person = new Person({ pro: [once('bonus', 5n)] })
    person.includes = { pro: [include('bonus', 5n)] }
    expect(person.bringUp()).toEqual(['pro/bonus grant 5 included'])
    expect(new Set(person.pools.map(({ source }) => source.id)).size).toBe(2)
  })

  it('a clock slightly before the anchor is treated as being in the first period', () => {
    const { granted } = changes([include('tokens', 1n)], { nowMs: ANCHOR - 5, sinceMs: ANCHOR - 5 })
    expect(granted[0]?.source.startsAtMs).toBe(ANCHOR)
  })

  it('without included pools and existing pools, no change is due', () => {
    expect(changes([])).toEqual({ granted: [], postings: [], untilMs: Infinity })
    expect(changes([], { bundleId: null }).granted).toEqual([])
  })

  it('for any clock and any number of function calls, each month has one pool, without gaps or overlaps', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 30 }), (days) => {
        const person = new Person({ pro: [include('tokens', 1n)] })
        for (const day of days) person.at(ANCHOR + day * dayMs)
        const starts = person.pools.map(({ source }) => source.startsAtMs)
        expect(new Set(starts).size).toBe(starts.length)
        expect(new Set(person.pools.map(({ source }) => source.id)).size).toBe(starts.length)
        const last = Math.max(0, ...days)
        expect(starts.at(-1)).toBeLessThanOrEqual(ANCHOR + last * dayMs)
        for (const { source } of person.pools) {
          expect(
            person.pools.filter((other) => other.source.startsAtMs === source.endsAtMs).length,
          ).toBeLessThan(2)
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('the end of a period', () => {
  it('at the end of a period, the free amount lapses once and permanently', () => {
    const person = new Person({ pro: [include('tokens', 100n)] })
    person.use('pro/tokens', 41n)
    expect(person.at(SECOND_MONTH)).toEqual([
      'pro/tokens reversal -59 expired',
      'pro/tokens grant 100 included',
    ])
    expect(person.bringUp()).toEqual([])
    expect(person.pools[0]?.source).toMatchObject({ posted: 0n, expired: 59n })
  })

  it('at the end of a period, nothing is written for a pool that is used up', () => {
    const person = new Person({ pro: [include('tokens', 100n)] })
    person.use('pro/tokens', 100n)
    expect(person.at(SECOND_MONTH)).toEqual(['pro/tokens grant 100 included'])
  })

  it('at the end of a period, holds of calls in flight remain, and amounts that these calls return later lapse', () => {
    const person = new Person({ pro: [include('tokens', 100n)] })
    person.hold('pro/tokens', 70n)
    person.includes = {}
    expect(person.at(SECOND_MONTH)).toEqual(['pro/tokens reversal -30 expired'])
    person.pools = person.pools.map((pool) => ({
      ...pool,
      source: { ...pool.source, held: 0n, posted: pool.source.posted - 20n },
    }))
    expect(person.bringUp()).toEqual(['pro/tokens reversal -50 expired'])
    expect(person.bringUp()).toEqual([])
  })

  it('after one process has ended a period, another process with a slow clock does not grant that month again', () => {
    const { granted } = changes([include('tokens', 100n)], { nowMs: SECOND_MONTH })
    expect(granted).toHaveLength(1)
    expect(changes([include('tokens', 100n)], { nowMs: SECOND_MONTH - 50, pools: granted })).toEqual({
      granted: [],
      postings: [],
      untilMs: boundary(ANCHOR, 'month', 2),
    })
  })

  it('a clock that is slightly behind does not undo the end of a period', () => {
    const person = new Person({ pro: [include('tokens', 100n)] })
    person.at(SECOND_MONTH)
    expect(person.at(SECOND_MONTH - 50)).toEqual([])
    person.includes = {}
    expect(person.at(SECOND_MONTH - 50)).toEqual([])
  })
})

describe('a change of plan', () => {
  it('a change of plan removes the unspent amount from the old plan’s pools, and a return to the plan gives exactly this amount back', () => {
    const person = new Person({ pro: [once('bonus', 1000n)], std: [] })
    person.use('pro/bonus', 41n)
    expect(person.to('std')).toEqual(['pro/bonus reversal -959 plan_changed'])
    expect(person.free()).toEqual([])
    person.at(SECOND_MONTH + 5 * dayMs)
    expect(person.to('pro')).toEqual(['pro/bonus adjustment 959 plan_changed'])
    expect(person.free()).toEqual([['bonus', 959n]])
  })

  it('if an end user leaves a plan for no plan, the pools change in the same way as on a change of plan', () => {
    const person = new Person({ pro: [include('tokens', 100n)] })
    expect(person.to(null)).toEqual(['pro/tokens reversal -100 plan_changed'])
    expect(person.to('pro')).toEqual(['pro/tokens adjustment 100 plan_changed'])
  })

  it('if an end user is deleted, all pools of the end user end, including amounts that calls in flight return later', () => {
    const person = new Person({ pro: [include('tokens', 100n), once('bonus', 7n)] })
    person.hold('pro/tokens', 30n)
    person.isRemoved = true
    expect(person.to(null)).toEqual([
      'pro/tokens reversal -70 end_user_removed',
      'pro/bonus reversal -7 end_user_removed',
    ])
    person.settle('pro/tokens', 30n, 10n)
    expect(person.bringUp()).toEqual(['pro/tokens reversal -20 end_user_removed'])
    expect(person.at(SECOND_MONTH)).toEqual([])
  })

  it('poolChanges throws if a deleted end user still has a bundle', () => {
    expect(() => changes([], { isRemoved: true })).toThrow(MoneyBroken)
  })

  it('amounts that pools of other plans have paid in the same month reduce the new plan’s pools, and the ledger entry gives the reason', () => {
    const person = new Person({ pro: [include('tokens', 600n)], std: [include('tokens', 500n)] })
    person.use('pro/tokens', 441n)
    expect(person.to('std')).toEqual([
      'pro/tokens reversal -159 plan_changed',
      'std/tokens grant 500 included',
      'std/tokens adjustment -441 used_on_another_plan',
    ])
    person.use('std/tokens', 50n)
    expect(person.to('pro')).toEqual([
      'std/tokens reversal -9 plan_changed',
      'pro/tokens adjustment 109 plan_changed',
    ])
    expect(person.free()).toEqual([['tokens', 109n]])
  })

  it('a change of plan removes at most the available amount, and does not affect the next month', () => {
    const person = new Person({ pro: [include('tokens', 600n)], std: [include('tokens', 500n)] })
    person.use('pro/tokens', 550n)
    expect(person.to('std')).toContain('std/tokens adjustment -500 used_on_another_plan')
    person.at(SECOND_MONTH)
    expect(person.free()).toEqual([['tokens', 500n]])
  })

  it('credit that was used on another plan is removed from the pool with the same slug first, and then from the other pools in order', () => {
    const person = new Person({
      pro: [include('chat', 300n), include('draw', 300n)],
      std: [include('all', 50n), include('draw', 100n), include('more', 100n)],
    })
    person.use('pro/draw', 130n)
    person.use('pro/chat', 30n)
    expect(person.to('std').filter((line) => line.includes('used'))).toEqual([
      'std/all adjustment -50 used_on_another_plan',
      'std/draw adjustment -100 used_on_another_plan',
      'std/more adjustment -10 used_on_another_plan',
    ])
  })

  it('credit that was used on another plan is always removed from the same pools, regardless of the order in which the pools are loaded', () => {
    const person = new Person({
      pro: [include('only', 900n)],
      std: [include('top', 250n), include('monthly', 700n)],
    })
    person.use('pro/only', 440n)
    person.to('std')
    const free = [
      ['top', 0n],
      ['monthly', 510n],
    ]
    expect(person.free()).toEqual(free)
    person.pools = person.pools.toReversed()
    expect(person.bringUp()).toEqual([])
    expect(person.free()).toEqual(free.toReversed())
  })

  it('payments by pools of other plans reduce only pools of the same unit and currency', () => {
    const person = new Person({
      pro: [include('a', 100n), stars('b', 100n)],
      std: [include('a', 100n), stars('b', 100n), stars('c', 100n, 'gems')],
    })
    person.use('pro/b', 40n)
    expect(person.to('std').filter((line) => line.includes('used'))).toEqual([
      'std/b adjustment -40 used_on_another_plan',
    ])
  })

  it('amounts that a sign-up pool has paid do not reduce the pools of another plan', () => {
    const person = new Person({ pro: [once('bonus', 100n)], std: [include('a', 100n)] })
    person.use('pro/bonus', 40n)
    expect(person.to('std').filter((line) => line.includes('used'))).toEqual([])
  })

  it('an amount held in the old plan’s pool counts as used in the new plan’s pool, and its unused part returns to the new pool after the call', () => {
    const person = new Person({ pro: [include('tokens', 100n)], std: [include('tokens', 100n)] })
    person.hold('pro/tokens', 70n)
    expect(person.to('std')).toEqual([
      'pro/tokens reversal -30 plan_changed',
      'std/tokens grant 100 included',
      'std/tokens adjustment -70 used_on_another_plan',
    ])
    person.settle('pro/tokens', 70n, 20n)
    expect(person.bringUp()).toEqual([
      'pro/tokens reversal -50 plan_changed',
      'std/tokens adjustment 50 plan_changed',
    ])
    expect(person.free()).toEqual([['tokens', 80n]])
  })

  it('a sign-up pool is granted on the first change to its bundle, in any period, and never again', () => {
    const person = new Person({ pro: [], std: [once('bonus', 5n)] })
    person.at(boundary(ANCHOR, 'month', 7))
    expect(person.to('std')).toEqual(['std/bonus grant 5 included'])
    person.use('std/bonus', 5n)
    person.to('pro')
    person.at(boundary(ANCHOR, 'month', 9))
    expect(person.to('std')).toEqual([])
  })

  it('a change of plan throws if a pool’s balance is higher than its grant', () => {
    const person = new Person({ pro: [include('tokens', 40n)] })
    person.use('pro/tokens', -1n)
    expect(() => person.to('std')).toThrow(MoneyBroken)
  })

  it('any number of plan changes over several months yields at most the credit of the largest plan in each month', () => {
    const anyIncludes = (prefix: string) =>
      fc
        .array(fc.tuple(fc.boolean(), fc.bigInt(1n, 100n), fc.boolean()), { maxLength: 3 })
        .map((list) =>
          list.map(([isCredits, amount, isShared], at) =>
            (isCredits ? stars : include)(isShared ? `s${at}` : `${prefix}${at}`, amount),
          ),
        )
    // Between two plan changes, time passes, and calls use a share of the available amount and hold another share.
    const steps = fc.array(
      fc.record({
        days: fc.nat(12),
        share: fc.bigInt(0n, 10n),
        held: fc.bigInt(0n, 3n),
        isMove: fc.boolean(),
      }),
      { maxLength: 25 },
    )
    fc.assert(
      fc.property(anyIncludes('a'), anyIncludes('b'), steps, (a, b, moves) => {
        const person = new Person({ pro: a, std: b })
        const most = new Map<string, bigint>()
        for (const unit of ['micros', 'credits']) {
          const sum = (includes: readonly Include[]): bigint =>
            includes.filter((each) => each.unit === unit).reduce((total, { amount }) => total + amount, 0n)
          most.set(unit, sum(a) > sum(b) ? sum(a) : sum(b))
        }
        for (const { days, held, isMove, share } of moves) {
          person.at(person.nowMs + days * dayMs)
          for (const { bundleId, source } of person.pools) {
            const slug = `${bundleId}/${source.slug}`
            if ((source.endsAtMs ?? 0) <= person.nowMs) continue
            person.settle(slug, source.held, source.held / 2n)
            if (bundleId !== person.bundleId) continue
            const free = source.posted - source.held
            person.use(slug, (free * share) / 10n)
            person.hold(slug, ((free - (free * share) / 10n) * held) / 3n)
          }
          person.bringUp()
          if (isMove) person.to(person.bundleId === 'pro' ? 'std' : 'pro')
          expect(person.bringUp()).toEqual([])
          const yielded = new Map<string, bigint>()
          for (const { source } of person.pools) {
            const key = `${source.unit} ${source.startsAtMs}`
            const had = source.granted - source.withheld - source.expired
            yielded.set(key, (yielded.get(key) ?? 0n) + had)
          }
          for (const [key, amount] of yielded) {
            expect(amount).toBeLessThanOrEqual(most.get(key.split(' ')[0] ?? '') ?? 0n)
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('includeOf', () => {
  it('`includeOf` looks up the values that are fixed when a pool is granted', () => {
    const terms = include('tokens', 5n)
    const bundle = { allow: ['acme/*'], deny: ['acme/b'], creditCurrency: 'stars' }
    const names = () => ['acme/a', 'acme/b', 'other']
    expect(includeOf({ ...terms, models: null }, bundle, names)).toMatchObject({
      currency: null,
      models: ['acme/*'],
      modelCount: 1,
    })
    expect(includeOf({ ...terms, unit: 'credits', models: ['other'] }, bundle, names)).toMatchObject({
      currency: 'stars',
      models: ['other'],
      modelCount: 1,
    })
  })
})
