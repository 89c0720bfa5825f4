import { describe, expect, it } from 'vitest'
import { microsMax } from './amount.ts'
import {
  aCreditPool,
  aLimit,
  anOnDemand,
  aPool,
  aTeam,
  aTeamPool,
  aWallet,
} from '#tests/fixtures/build-money-values.ts'
import type { Limit, Source } from './decision-types.ts'
import { headroomOf, headroomRefusal } from './headroom.ts'

describe('headroomOf', () => {
  it('the headroom is the remaining amount of the tightest limit, after spent and held amounts', () => {
    const cap = aLimit('key_cap', 100n, { spentMicros: 30n, heldMicros: 20n })
    expect(headroomOf([cap])).toBe(50n)
    expect(headroomOf([cap, aLimit('bundle_limit', 49n), aLimit('outcome_run', 60n)])).toBe(49n)
    expect(headroomOf([aLimit('bundle_limit', 51n), cap])).toBe(50n)
  })

  it('the headroom may be negative, and is null without limits', () => {
    expect(headroomOf([aLimit('key_cap', 10n, { spentMicros: 30n })])).toBe(-20n)
    expect(headroomOf([])).toBeNull()
  })
})

const refusal = (micros: bigint, limits: Limit[], sources: Source[] = [], credits = 0n) =>
  headroomRefusal(limits, sources, { micros, credits })

describe('headroomRefusal', () => {
  const limits = [
    aLimit('bundle_limit', 10n, { resetsAtMs: 3 }),
    aLimit('key_cap', 20n, { spentMicros: 4n, heldMicros: 6n, resetsAtMs: 2 }),
    aLimit('outcome_run', 30n),
  ]

  it('a refusal names the first exceeded limit in the fixed order, not the lowest limit', () => {
    expect(refusal(31n, limits)).toMatchObject({
      code: 'outcome_capped',
      limitSource: 'outcome_run',
      requested: 31n,
    })
    expect(refusal(30n, limits)).toMatchObject({ code: 'spend_limit_exceeded', limitSource: 'key_cap' })
    expect(refusal(17n, limits)).toMatchObject({ code: 'spend_limit_exceeded', limitSource: 'key_cap' })
    expect(refusal(10n, limits)).toMatchObject({ code: 'insufficient_credit' })
    expect(refusal(11n, limits.slice(0, 1))).toMatchObject({ limitSource: 'bundle_limit', resetsAtMs: 3 })
  })

  it('a refusal names limits in this order: run, key cap, portal total, bundle limit, end user limit', () => {
    const kinds = ['outcome_run', 'key_cap', 'portal_total', 'bundle_limit', 'end_user_limit'] as const
    const all = kinds.map((kind) => aLimit(kind, 5n)).toReversed()
    for (const [at, kind] of kinds.entries()) {
      const left = all.filter((limit) => kinds.indexOf(limit.kind) >= at)
      expect(refusal(6n, left)).toMatchObject({ limitSource: kind, limit: 5n })
    }
    const held = [
      aLimit('end_user_limit', 9n, { heldMicros: 4n }),
      aLimit('portal_total', 9n, { heldMicros: 4n }),
    ]
    expect(refusal(6n, held, [aWallet(10n)])).toMatchObject({
      code: 'balance_held',
      limitSource: 'portal_total',
    })
  })

  it('if the end user has several limits, a refusal names the exceeded limit', () => {
    const windows = [
      aLimit('end_user_limit', 20n, { id: 'day', resetsAtMs: 1 }),
      aLimit('end_user_limit', 10n, { id: 'month', resetsAtMs: 2 }),
    ]
    expect(refusal(11n, windows)).toMatchObject({ code: 'spend_limit_exceeded', limit: 10n, resetsAtMs: 2 })
    expect(refusal(21n, windows)).toMatchObject({ code: 'spend_limit_exceeded', limit: 20n, resetsAtMs: 1 })
  })

  it('a refusal contains the numbers of the limit that it names', () => {
    expect(refusal(17n, limits)).toEqual({
      kind: 'refused',
      code: 'spend_limit_exceeded',
      limitSource: 'key_cap',
      limit: 20n,
      used: 4n,
      held: 6n,
      requested: 17n,
      resetsAtMs: 2,
    })
  })

  it('a refusal names an unpaid invoice only if the invoice blocks an on-demand source that could pay, and the balance otherwise', () => {
    const overdue = anOnDemand(5n, { untilMs: 1, held: 4n })
    const of = (micros: bigint, sources: Source[]) =>
      headroomRefusal([], sources, { micros, credits: 0n }, overdue)
    expect(of(8n, [aWallet(3n)])).toMatchObject({
      code: 'insufficient_credit',
      limitSource: 'unpaid_invoice',
      limit: 3n,
      requested: 8n,
    })
    expect(of(9n, [aWallet(3n)])).toMatchObject({ limitSource: 'balance' })
    expect(of(3n, [aWallet(3n, { held: 1n })])).toMatchObject({ code: 'balance_held' })
    expect(of(microsMax + 1n, [aWallet(3n)])).toMatchObject({ limitSource: 'balance' })
  })

  it('if two limits are of one kind, a refusal names the exceeded limit', () => {
    const caps = [aLimit('key_cap', 50n, { id: 'a' }), aLimit('key_cap', 10n, { id: 'b' })]
    expect(refusal(11n, caps)).toMatchObject({ limit: 10n })
  })

  it('a refusal names the on-demand ceiling if on-demand was the last source', () => {
    const onDemand = anOnDemand(100n, { posted: -60n, held: 30n, endsAtMs: 99 })
    const numbers = { limit: 100n, used: 60n, held: 30n, resetsAtMs: 99 }
    expect(refusal(50n, [], [aWallet(5n), onDemand])).toEqual({
      kind: 'refused',
      code: 'spend_limit_exceeded',
      limitSource: 'on_demand_ceiling',
      requested: 50n,
      ...numbers,
    })
    expect(refusal(45n, [], [aWallet(5n), onDemand])).toEqual({
      kind: 'refused',
      code: 'balance_held',
      limitSource: 'on_demand_ceiling',
      requested: 45n,
      ...numbers,
    })
  })

  it('a refusal names the cap of a team member if the payer’s wallet could pay without the cap', () => {
    const capped = aTeam(100n, { capMicros: 60n, posted: -46n, endsAtMs: 99 })
    const refused = refusal(17n, [], [capped, aWallet(2n)])
    expect(refused).toEqual({
      kind: 'refused',
      code: 'spend_limit_exceeded',
      limitSource: 'member_cap',
      limit: 60n,
      used: 46n,
      held: 0n,
      requested: 17n,
      resetsAtMs: 99,
    })
    expect(refusal(103n, [], [capped, aWallet(2n)])).toMatchObject({ limitSource: 'balance' })
    expect(refusal(102n, [], [capped, aWallet(2n)])).toMatchObject({ limitSource: 'member_cap' })
  })

  it.each<readonly [string, string, readonly Source[]]>([
    ['no cap', 'balance', [aTeam(10n)]],
    ['a shared pool instead of a cap', 'balance', [aTeamPool(10n, { posted: -10n })]],
    ['a pool of the member’s plan', 'pool', [aPool('p', 0n), aTeam(100n, { capMicros: 5n })]],
  ])('a refusal of a team member with %s does not name a cap', (_which, limitSource, sources) => {
    expect(refusal(17n, [], [...sources])).toMatchObject({ code: 'insufficient_credit', limitSource })
  })

  it('if requests in flight hold a member’s cap, the refusal has the reason balance_held', () => {
    const held = aTeam(100n, { capMicros: 60n, held: 50n, wallet: { held: 50n } })
    expect(refusal(17n, [], [held])).toMatchObject({ code: 'balance_held', limitSource: 'balance' })
  })

  it('a call that costs more than the largest amount is rejected because of the balance, even if on-demand billing has no ceiling', () => {
    expect(refusal(microsMax + 1n, [], [anOnDemand(null)])).toMatchObject({
      code: 'insufficient_credit',
      limitSource: 'balance',
    })
  })

  it('a refusal names the pool that allows no other source, and reports when the pool’s period ends', () => {
    const pool = aPool('p', 5n, { thenOnDemand: false, endsAtMs: 77, held: 2n })
    expect(refusal(9n, [], [pool])).toMatchObject({
      code: 'insufficient_credit',
      limitSource: 'pool',
      limit: 5n,
      held: 2n,
      used: 0n,
      available: 3n,
      resetsAtMs: 77,
      pool,
    })
  })

  it('a refusal names the pool that renews first, with the granted amount of this pool, regardless of other sources', () => {
    const far = aPool('far', 0n, { granted: 90n, endsAtMs: 99 })
    const near = aPool('near', 2n, { granted: 12n, withheld: 3n, expired: 1n, held: 1n, endsAtMs: 77 })
    const sources = [far, near, aPool('ever', 0n), aWallet(4n, { held: 1n })]
    expect(refusal(9n, [], sources)).toEqual({
      kind: 'refused',
      code: 'insufficient_credit',
      limitSource: 'pool',
      limit: 8n,
      used: 6n,
      held: 1n,
      requested: 9n,
      resetsAtMs: 77,
      pool: near,
      available: 4n,
    })
    // The pool with the amount carried over ends at the same time as the pool of this period, and is smaller.
    const carried = aPool('carried', 0n, { granted: 5n, endsAtMs: 77 })
    for (const both of [
      [carried, near],
      [near, carried],
    ])
      expect(refusal(9n, [], both)).toMatchObject({ pool: near })
    expect(refusal(9n, [], [aPool('ever', 0n, { granted: 4n })])).toMatchObject({
      limitSource: 'pool',
      limit: 4n,
      resetsAtMs: null,
    })
    // If other requests hold a part of the pool, the refusal names the balance instead of the pool.
    expect(refusal(4n, [], sources.slice(2))).toMatchObject({ code: 'balance_held', limitSource: 'balance' })
    // Expiring credit belongs to no plan.
    const credit = aPool('credit/gr_1', 1n, { endsAtMs: 50 })
    expect(refusal(9n, [], [credit])).toMatchObject({ limitSource: 'balance', limit: 1n })
  })

  it('a refusal for an unpaid invoice names the pool in addition to the balance', () => {
    const overdue = anOnDemand(50n, { untilMs: 1 })
    const pool = aPool('p', 1n, { granted: 7n, endsAtMs: 77 })
    const refused = headroomRefusal([], [pool, aWallet(2n)], { micros: 9n, credits: 0n }, overdue)
    expect(refused).toMatchObject({ limitSource: 'unpaid_invoice', limit: 3n, resetsAtMs: null, pool })
  })

  it('the balance in a refusal is the sum over all sources, with credits at their value in this call', () => {
    const sources = [aCreditPool('c', 7n, { held: 2n }), aPool('p', 3n, { held: 1n }), aWallet(-1n)]
    // At 2 credits for 9 micros, 7 credits are worth 31.5 micros, which is rounded down.
    expect(refusal(9n, [], sources, 2n)).toMatchObject({
      code: 'balance_held',
      limitSource: 'balance',
      limit: 31n + 3n - 1n,
      held: 9n + 1n,
    })
    expect(refusal(40n, [], sources, 20n)).toMatchObject({
      code: 'insufficient_credit',
      available: 14n + 3n - 1n - (4n + 1n),
    })
    expect(refusal(9n, [], sources, 0n)).toMatchObject({ limit: 0n, available: 2n - 1n })
    expect(refusal(9n, [], [])).toMatchObject({ limitSource: 'balance', limit: 0n, held: 0n })
  })

  describe('held money and spent money', () => {
    it.each([
      [41n, 'spend_limit_exceeded', 'key_cap'],
      [40n, 'balance_held', 'key_cap'],
    ])(
      'with a cap of 50 of which 10 are spent and 30 held, a call for %s is rejected with %s',
      (micros, code, limitSource) => {
        const cap = aLimit('key_cap', 50n, { spentMicros: 10n, heldMicros: 30n })
        const expected = { code, limitSource, limit: 50n, used: 10n, held: 30n, requested: micros }
        expect(refusal(micros, [cap], [aWallet(1_000n)])).toMatchObject(expected)
      },
    )

    it.each([
      [51n, 'insufficient_credit'],
      [50n, 'balance_held'],
      [21n, 'balance_held'],
    ])('with a balance of 50 and 30 held, a call for %s is rejected with %s', (micros, code) => {
      const expected = { code, limitSource: 'balance', limit: 50n, used: null, held: 30n, requested: micros }
      expect(refusal(micros, [], [aWallet(50n, { held: 30n })])).toMatchObject(expected)
    })

    it('refusals also distinguish held money from spent money for runs, bundles, exclusive pools and credits', () => {
      const run = aLimit('outcome_run', 50n, { heldMicros: 30n })
      const rich = [aWallet(1_000n)]
      expect(refusal(50n, [run], rich)).toMatchObject({ code: 'balance_held', limitSource: 'outcome_run' })
      expect(refusal(51n, [run], rich)).toMatchObject({ code: 'outcome_capped' })
      const bundle = aLimit('bundle_limit', 50n, { heldMicros: 30n })
      expect(refusal(50n, [bundle], rich)).toMatchObject({
        code: 'balance_held',
        limitSource: 'bundle_limit',
      })
      const pool = aPool('p', 50n, { thenOnDemand: false, held: 30n })
      expect(refusal(50n, [], [pool])).toMatchObject({ code: 'balance_held', limitSource: 'pool' })
      expect(refusal(51n, [], [pool])).toMatchObject({ code: 'insufficient_credit', limitSource: 'pool' })
      const credits = aCreditPool('c', 50n, { held: 30n, thenOnDemand: false })
      expect(refusal(9n, [], [credits], 50n)).toMatchObject({ code: 'balance_held', limitSource: 'pool' })
      expect(refusal(9n, [], [credits], 51n)).toMatchObject({ code: 'insufficient_credit' })
    })

    it('if one limit is exceeded by spent money and another limit by held money, a refusal names the limit with the spent money', () => {
      const run = aLimit('outcome_run', 50n, { heldMicros: 30n })
      const cap = aLimit('key_cap', 50n, { spentMicros: 30n })
      const code = 'spend_limit_exceeded'
      expect(refusal(40n, [run, cap], [aWallet(1_000n)])).toMatchObject({ code, limitSource: 'key_cap' })
      const poor = { code: 'insufficient_credit', limitSource: 'balance' }
      expect(refusal(40n, [run], [aWallet(39n)])).toMatchObject(poor)
    })

    it('an amount below zero after an overdraft or a reversal does not count as held', () => {
      expect(refusal(1n, [], [aWallet(-5n, { held: 3n })])).toMatchObject({ code: 'insufficient_credit' })
    })
  })
})
