import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aCreditPool, aPool } from './builders.model.ts'
import {
  creditWallet,
  planChange,
  poolsDue,
  type GrantedPool,
  type Include,
  type PlanChangeInput,
  type PoolGrant,
  type PoolsDueInput,
} from './grant.ts'
import type { PoolSource } from './hold.ts'
import { boundary } from './period.ts'
import { applyPosting } from './posting.ts'

const ANCHOR = Date.parse('2026-01-31T12:00:00Z')
const DAY_MS = 86_400_000

const include = (slug: string, amount: bigint, fields: Partial<Include> = {}): Include => ({
  slug,
  displayName: slug,
  unit: 'micros',
  currency: null,
  amount,
  priceMicros: null,
  thenOnDemand: true,
  recurring: true,
  spilloverTo: null,
  models: ['*'],
  modelCount: 3,
  ...fields,
})

const once = (slug: string, amount: bigint): Include => include(slug, amount, { recurring: false })

function due(includes: readonly Include[], fields: Partial<PoolsDueInput> = {}): PoolGrant[] {
  return poolsDue({
    bundleId: 'pro',
    includes,
    anchorMs: ANCHOR,
    interval: 'month',
    nowMs: ANCHOR,
    existing: [],
    nextSequence: 7,
    ...fields,
  })
}

const asExisting = ({
  bundleId,
  include: { recurring, slug },
  source: { startsAtMs },
}: PoolGrant): GrantedPool => ({
  bundleId,
  recurring,
  slug,
  startsAtMs,
})

/** How many pools are due for `tokens` when this one is there. */
const dueBeside = (pool: GrantedPool): number => due([include('tokens', 1n)], { existing: [pool] }).length

/** The pool as it stands once its grant is posted. */
const posted = ({ posting, source }: PoolGrant): PoolSource =>
  posting === null ? source : applyPosting(source, posting)

describe('poolsDue', () => {
  it('grants a recurring include for the month, with everything about it fixed', () => {
    const fields = { priceMicros: 5n, thenOnDemand: false, spilloverTo: 'other', models: ['acme/*'] }
    const [grant] = due([include('tokens', 100n, fields)])
    const [startsAtMs, endsAtMs] = [ANCHOR, boundary(ANCHOR, 'month', 1)]
    const id = `pro/tokens/${ANCHOR}`
    expect(grant).toEqual({
      bundleId: 'pro',
      include: include('tokens', 100n, fields),
      source: {
        kind: 'pool',
        id,
        slug: 'tokens',
        unit: 'micros',
        currency: null,
        posted: 0n,
        held: 0n,
        granted: 100n,
        rank: { models: 3, endsAtMs, isPaid: true, sequence: 7 },
        models: ['acme/*'],
        spilloverTo: 'other',
        thenOnDemand: false,
        startsAtMs,
        endsAtMs,
      },
      posting: {
        sourceId: id,
        unit: 'micros',
        heldDelta: 0n,
        postedDelta: 100n,
        entry: 'grant',
        mayOverdraw: false,
      },
    })
  })

  it('what is free is ranked as free, also at a price of 0', () => {
    const ranks = due([
      include('a', 1n),
      include('b', 1n, { priceMicros: 0n }),
      include('c', 1n, { priceMicros: 1n }),
    ])
    expect(ranks.map(({ source }) => [source.rank.isPaid, source.rank.sequence])).toEqual([
      [false, 7],
      [false, 8],
      [true, 9],
    ])
  })

  it('a credit include is in its currency', () => {
    const [grant] = due([include('stars', 9n, { unit: 'credits', currency: 'stars' })])
    expect(grant).toMatchObject({
      source: { unit: 'credits', currency: 'stars' },
      posting: { unit: 'credits' },
    })
    expect(() => due([include('stars', 9n, { unit: 'credits' })])).toThrow(MoneyBroken)
    expect(() => due([include('stars', 9n, { currency: 'stars' })])).toThrow(MoneyBroken)
  })

  it('asked again, it has nothing to add', () => {
    const includes = [include('tokens', 100n), once('bonus', 5n)]
    const existing = due(includes).map(asExisting)
    expect(existing).toHaveLength(2)
    for (const nowMs of [ANCHOR, ANCHOR + DAY_MS, boundary(ANCHOR, 'month', 1) - 1]) {
      expect(due(includes, { existing, nowMs })).toEqual([])
    }
  })

  it('the next month is granted from its own boundary on, and starts where the last one ended', () => {
    const first = due([include('tokens', 100n)])
    const nowMs = boundary(ANCHOR, 'month', 1)
    const [second] = due([include('tokens', 100n)], { existing: first.map(asExisting), nowMs })
    expect(second?.source.startsAtMs).toBe(first[0]?.source.endsAtMs)
    expect(second?.source.endsAtMs).toBe(boundary(ANCHOR, 'month', 2))
  })

  it('a yearly bundle grants by the month', () => {
    const nowMs = boundary(ANCHOR, 'month', 5) + 1
    const [grant] = due([include('tokens', 100n)], { interval: 'year', nowMs })
    expect(grant?.source.startsAtMs).toBe(boundary(ANCHOR, 'month', 5))
    expect(grant?.source.endsAtMs).toBe(boundary(ANCHOR, 'month', 6))
  })

  it('a sign-up include is granted in the first period, never ends, and never comes again', () => {
    const [grant] = due([once('bonus', 5n)])
    expect(grant?.source).toMatchObject({
      id: 'pro/bonus/once',
      endsAtMs: null,
      rank: { endsAtMs: Number.MAX_SAFE_INTEGER },
    })
    const secondMonth = boundary(ANCHOR, 'month', 1)
    expect(due([once('bonus', 5n)], { nowMs: secondMonth - 1 })).toHaveLength(1)
    expect(due([once('bonus', 5n)], { nowMs: secondMonth })).toEqual([])
    expect(due([once('bonus', 5n)], { nowMs: secondMonth, interval: 'year' })).toHaveLength(1)
    expect(due([once('bonus', 5n)], { nowMs: boundary(ANCHOR, 'year', 1), interval: 'year' })).toEqual([])
    const existing = [{ bundleId: 'pro', slug: 'bonus', recurring: false, startsAtMs: 0 }]
    expect(due([once('bonus', 5n)], { existing })).toEqual([])
  })

  it('pools of another bundle, slug, month or kind do not stand in', () => {
    const own = { bundleId: 'pro', slug: 'tokens', recurring: true, startsAtMs: ANCHOR }
    expect(dueBeside(own)).toBe(0)
    expect(dueBeside({ ...own, startsAtMs: boundary(ANCHOR, 'month', 1) - 1 })).toBe(0)
    expect(dueBeside({ ...own, bundleId: 'free' })).toBe(1)
    expect(dueBeside({ ...own, slug: 'other' })).toBe(1)
    expect(dueBeside({ ...own, recurring: false })).toBe(1)
    expect(dueBeside({ ...own, startsAtMs: ANCHOR - 1 })).toBe(1)
    expect(dueBeside({ ...own, startsAtMs: boundary(ANCHOR, 'month', 1) })).toBe(1)
  })

  it('an include that began to recur does not meet the row of its sign-up', () => {
    const [first] = due([once('bonus', 5n)])
    const [again] = due([include('bonus', 5n)], { existing: first ? [asExisting(first)] : [] })
    expect(again?.source.id).not.toBe(first?.source.id)
  })

  it('a clock a little behind the anchor sees the first period', () => {
    expect(due([include('tokens', 1n)], { nowMs: ANCHOR - 5 })[0]?.source.startsAtMs).toBe(ANCHOR)
  })

  it('any clock, any number of times: one pool per month, and they tile time', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 30 }), (days) => {
        const pools: PoolGrant[] = []
        for (const day of days) {
          pools.push(
            ...due([include('tokens', 1n)], {
              nowMs: ANCHOR + day * DAY_MS,
              existing: pools.map(asExisting),
            }),
          )
        }
        const starts = pools.map(({ source }) => source.startsAtMs)
        expect(new Set(starts).size).toBe(starts.length)
        expect(new Set(pools.map(({ source }) => source.id)).size).toBe(starts.length)
        for (const day of days) {
          const nowMs = ANCHOR + day * DAY_MS
          const current = pools.filter(
            ({ source }) => source.startsAtMs <= nowMs && nowMs < (source.endsAtMs ?? 0),
          )
          expect(current).toHaveLength(1)
        }
      }),
      { numRuns: 200 },
    )
  })
})

function change(includes: readonly Include[], fields: Partial<PlanChangeInput> = {}) {
  return planChange({
    fromBundleId: 'free',
    toBundleId: 'pro',
    includes,
    anchorMs: ANCHOR,
    nowMs: ANCHOR + DAY_MS,
    pools: [],
    nextSequence: 1,
    ...fields,
  })
}

const owned = (source: PoolSource, fields: Partial<PlanChangeInput['pools'][number]> = {}) => ({
  source,
  bundleId: 'free',
  recurring: true,
  ...fields,
})

const monthly = { startsAtMs: ANCHOR, endsAtMs: boundary(ANCHOR, 'month', 1) }

/** Which pools a move from `free`, a day after the anchor, ends when this is the only one. */
const endedOf = (source: PoolSource, bundleId = 'free') =>
  change([], { pools: [owned(source, { bundleId })] }).ended

const anyIncludes = (prefix: string) =>
  fc
    .array(fc.tuple(fc.boolean(), fc.bigInt(1n, 100n)), { maxLength: 3 })
    .map((list) =>
      list.map(([isCredits, amount], at) =>
        include(`${prefix}${at}`, amount, isCredits ? { unit: 'credits', currency: 'stars' } : {}),
      ),
    )

describe('planChange', () => {
  it('ends the old bundle’s pools now and grants the new ones until the end of the month', () => {
    const old = aPool('old', 40n, { ...monthly, granted: 40n })
    const { ended, granted } = change([include('tokens', 100n)], { pools: [owned(old)] })
    expect(ended).toEqual([{ sourceId: 'old', endsAtMs: ANCHOR + DAY_MS }])
    expect(granted.map(({ source }) => [source.granted, source.startsAtMs, source.endsAtMs])).toEqual([
      [100n, ANCHOR + DAY_MS, monthly.endsAtMs],
    ])
  })

  it('takes off what was used, and what calls in flight still hold', () => {
    const old = aPool('old', 30n, { ...monthly, granted: 40n, held: 5n })
    const { granted } = change([include('tokens', 100n)], { pools: [owned(old)] })
    expect(granted[0]?.source.granted).toBe(85n)
    expect(granted[0]?.posting?.postedDelta).toBe(85n)
  })

  it('leaves a row of nothing where all is used, so that the month is not granted again', () => {
    const old = aPool('old', 0n, { ...monthly, granted: 40n })
    const { granted } = change([include('tokens', 40n)], { pools: [owned(old)] })
    expect(granted[0]).toMatchObject({ posting: null, source: { granted: 0n, posted: 0n } })
    expect(
      due([include('tokens', 40n)], { nowMs: ANCHOR + DAY_MS, existing: granted.map(asExisting) }),
    ).toEqual([])
  })

  it('takes it off one include after the other', () => {
    const old = aPool('old', 0n, { ...monthly, granted: 40n })
    const { granted } = change([include('a', 30n), include('b', 30n)], { pools: [owned(old)] })
    expect(granted.map(({ source }) => source.granted)).toEqual([0n, 20n])
    expect(granted.map(({ source }) => source.rank.sequence)).toEqual([1, 2])
  })

  it('of the same unit and currency only, of this month only, of recurring pools only', () => {
    const used = { ...monthly, granted: 40n }
    const fresh = (...pools: PlanChangeInput['pools']): bigint | undefined =>
      change([include('tokens', 100n)], { pools })?.granted[0]?.source.granted
    expect(fresh(owned(aPool('old', 0n, used)))).toBe(60n)
    expect(fresh(owned(aPool('old', 0n, used)), owned(aPool('older', 0n, used), { bundleId: 'trial' }))).toBe(
      20n,
    )
    expect(fresh(owned(aCreditPool('old', 0n, used)))).toBe(100n)
    expect(fresh(owned(aPool('old', 0n, used), { recurring: false }))).toBe(100n)
    expect(fresh(owned(aPool('old', 0n, { ...used, startsAtMs: ANCHOR - 1 })))).toBe(100n)
    expect(fresh(owned(aPool('old', 0n, { ...used, startsAtMs: monthly.endsAtMs })))).toBe(100n)
    const gems = [include('gems', 100n, { unit: 'credits', currency: 'gems' })]
    const stars = owned(aCreditPool('old', 0n, used))
    expect(change(gems, { pools: [stars] }).granted[0]?.source.granted).toBe(100n)
  })

  it('grants a sign-up include on the first move to its bundle and never again', () => {
    const first = change([once('bonus', 5n)])
    expect(first.granted[0]?.source).toMatchObject({ id: 'pro/bonus/once', granted: 5n, endsAtMs: null })
    const had = owned(aPool('bonus', 0n, { granted: 5n }), { bundleId: 'pro', recurring: false })
    expect(change([once('bonus', 5n)], { pools: [had] }).granted).toEqual([])
    expect(change([once('bonus', 5n)], { pools: [{ ...had, bundleId: 'free' }] }).granted).toHaveLength(1)
    expect(change([once('bonus', 5n)], { pools: [{ ...had, recurring: true }] }).granted).toHaveLength(1)
    expect(change([once('other', 5n)], { pools: [had] }).granted).toHaveLength(1)
  })

  it('ends only what is of the old bundle and not over', () => {
    const nowMs = ANCHOR + DAY_MS
    expect(endedOf(aPool('p', 1n))).toHaveLength(1)
    expect(endedOf(aPool('p', 1n, { endsAtMs: nowMs + 1 }))).toHaveLength(1)
    expect(endedOf(aPool('p', 1n, { endsAtMs: nowMs }))).toEqual([])
    expect(endedOf(aPool('p', 1n), 'trial')).toEqual([])
  })

  it('to the same bundle is no change', () => {
    const pools = [owned(aPool('old', 1n, monthly))]
    expect(change([include('tokens', 100n)], { pools, toBundleId: 'free' })).toEqual({
      ended: [],
      granted: [],
    })
  })

  it('stops on a pool that has more than it was granted', () => {
    const broken = owned(aPool('old', 41n, { ...monthly, granted: 40n }))
    expect(() => change([include('tokens', 100n)], { pools: [broken] })).toThrow(MoneyBroken)
  })

  it('moving to and fro any number of times yields no more than the larger of the two', () => {
    // What happens between two moves: time passes (also none), and calls use a share of what is there.
    const steps = fc.array(fc.record({ days: fc.nat(3), share: fc.nat(10), held: fc.nat(3) }), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(anyIncludes('a'), anyIncludes('b'), steps, (a, b, moves) => {
        let nowMs = ANCHOR
        let pools: { source: PoolSource; bundleId: string; recurring: boolean }[] = []
        let bundle: 'a' | 'b' = 'a'
        let sequence = 1
        const add = (granted: readonly PoolGrant[]): void => {
          sequence += granted.length
          const rows = granted.map((grant) => ({
            source: posted(grant),
            bundleId: grant.bundleId,
            recurring: true,
          }))
          pools = [...pools, ...rows]
        }
        add(
          poolsDue({
            bundleId: 'a',
            includes: a,
            anchorMs: ANCHOR,
            interval: 'month',
            nowMs,
            existing: [],
            nextSequence: 1,
          }),
        )
        for (const { days, held, share } of moves) {
          nowMs = Math.min(nowMs + days * DAY_MS, monthly.endsAtMs - 1)
          pools = pools.map((pool) => {
            const isOpen = (pool.source.endsAtMs ?? 0) > nowMs
            const used = isOpen ? (pool.source.posted * BigInt(share)) / 10n : 0n
            const left = pool.source.posted - used
            const inFlight = isOpen ? (left * BigInt(held)) / 3n : pool.source.held
            return { ...pool, source: { ...pool.source, posted: left, held: inFlight } }
          })
          const to: 'a' | 'b' = bundle === 'a' ? 'b' : 'a'
          const { ended, granted } = planChange({
            fromBundleId: bundle,
            toBundleId: to,
            includes: to === 'a' ? a : b,
            anchorMs: ANCHOR,
            nowMs,
            pools,
            nextSequence: sequence,
          })
          pools = pools.map((pool) => {
            const end = ended.find(({ sourceId }) => sourceId === pool.source.id)
            return end ? { ...pool, source: { ...pool.source, endsAtMs: end.endsAtMs } } : pool
          })
          add(granted)
          bundle = to

          const ids = pools.map(({ source }) => source.id)
          expect(new Set(ids).size).toBe(ids.length)
          for (const unit of ['micros', 'credits'] as const) {
            const sum = (includes: readonly Include[]): bigint =>
              includes.filter((each) => each.unit === unit).reduce((total, { amount }) => total + amount, 0n)
            const most = sum(a) > sum(b) ? sum(a) : sum(b)
            // Used, promised, or still there to use: what the month has yielded so far.
            let yielded = 0n
            for (const { source } of pools) {
              if (source.unit !== unit) continue
              yielded += source.granted - source.posted + source.held
              if ((source.endsAtMs ?? 0) > nowMs) yielded += source.posted - source.held
            }
            expect(yielded).toBeLessThanOrEqual(most)
          }
          const existing = pools.map(({ bundleId, recurring, source }) => ({
            bundleId,
            recurring,
            slug: source.slug,
            startsAtMs: source.startsAtMs,
          }))
          const includes = bundle === 'a' ? a : b
          expect(
            poolsDue({
              bundleId: bundle,
              includes,
              anchorMs: ANCHOR,
              interval: 'month',
              nowMs,
              existing,
              nextSequence: sequence,
            }),
          ).toEqual([])
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('creditWallet', () => {
  it('is one entry of its kind', () => {
    expect(creditWallet('wallet', 5n, 'topup')).toEqual({
      sourceId: 'wallet',
      unit: 'micros',
      heldDelta: 0n,
      postedDelta: 5n,
      entry: 'topup',
      mayOverdraw: false,
    })
    expect(creditWallet('wallet', 5n, 'grant').entry).toBe('grant')
  })

  it('of at least one micro', () => {
    expect(() => creditWallet('wallet', 0n, 'topup')).toThrow(MoneyBroken)
  })
})
