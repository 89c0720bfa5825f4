import { describe, expect, it } from 'vitest'
import { anOnDemand, aPool, aQuote, aWallet } from '#tests/fixtures/build-money-values.ts'
import { MoneyBroken } from './amount.ts'
import { creditWallet, endingCredit, reverseTopup } from './wallet-and-expiring-credit.ts'
import type { PoolSource, Source } from './decision-types.ts'
import { poolChanges, poolsAfter, type OwnedPool, type PoolsInput } from './plan-pools.ts'
import { applyPosting, entryPosting } from './posting.ts'
import { overflowOf, payingSources } from './payment-sources.ts'

describe('creditWallet', () => {
  it('creditWallet returns one posting, with a ledger entry of the given kind', () => {
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

  it('creditWallet and reverseTopup throw for an amount of 0', () => {
    expect(() => creditWallet('wallet', 0n, 'topup')).toThrow(MoneyBroken)
    expect(() => reverseTopup('wallet', 0n)).toThrow(MoneyBroken)
    expect(reverseTopup('wallet', 5n)).toMatchObject({
      postedDelta: -5n,
      entry: 'reversal',
      mayOverdraw: true,
    })
  })
})

const credit = (
  grantId: string,
  amountMicros: bigint,
  startsAtMs = 0,
  endsAtMs = 10_000,
  sequence = 1,
): OwnedPool => {
  const pool = endingCredit({ grantId, amountMicros, startsAtMs, endsAtMs, sequence })
  return {
    ...pool,
    source: applyPosting(pool.source, entryPosting(pool.source.id, 'micros', amountMicros, 'grant')),
  }
}

describe('expiring credit', () => {
  const order = (sources: readonly Source[], nowMs = 1000): string[] =>
    payingSources('acme/model', aQuote(), { nowMs, sources }).map(({ id }) => id)

  it('expiring credit belongs to no plan, pays for every model and starts with its whole grant', () => {
    expect(credit('gr_1', 5n)).toMatchObject({
      source: {
        id: 'credit/gr_1',
        slug: 'gr_1',
        posted: 5n,
        granted: 5n,
        models: ['*'],
        startsAtMs: 0,
        endsAtMs: 10_000,
      },
      bundleId: null,
      recurring: false,
    })
  })

  it('expiring credit must be at least one micro, and must begin before its end', () => {
    expect(() => credit('gr_1', 0n)).toThrow(MoneyBroken)
    expect(() => credit('gr_1', 1n, 5, 5)).toThrow(MoneyBroken)
    expect(credit('gr_1', 1n, 4, 5).source.endsAtMs).toBe(5)
  })

  it('expiring credit pays after pools and before wallet and on-demand, with the earliest expiry first', () => {
    const late = credit('gr_late', 5n, 0, 9000)
    const soon = credit('gr_soon', 5n, 0, 8000, 2)
    const older = credit('gr_older', 5n, 0, 8000, 1)
    const sources = [aWallet(5n), late.source, anOnDemand(5n), soon.source, aPool('p', 5n), older.source]
    expect(order(sources)).toEqual([
      'p',
      'credit/gr_older',
      'credit/gr_soon',
      'credit/gr_late',
      'wallet',
      'on-demand',
    ])
  })

  it('expiring credit pays from its start until its end, which is exclusive', () => {
    const { source } = credit('gr_1', 5n, 2000, 3000)
    const at = (nowMs: number): boolean => order([source], nowMs).length === 1
    expect([1999, 2000, 2999, 3000].map(at)).toEqual([false, true, true, false])
  })

  it('expiring credit pays after the plan’s pools, unless one of these pools excludes all other sources', () => {
    const { source } = credit('gr_1', 5n)
    expect(order([aPool('p', 5n, { spilloverTo: null }), source, aWallet(5n)])).toEqual([
      'p',
      'credit/gr_1',
      'wallet',
    ])
    expect(order([aPool('p', 5n, { thenOnDemand: false }), source, aWallet(5n)])).toEqual(['p'])
  })

  it('a pool cannot overflow into expiring credit', () => {
    const pool: PoolSource = aPool('p', 5n)
    const funds = { nowMs: 1000, sources: [pool, credit('gr_1', 5n).source] }
    expect(overflowOf(pool, [{ alias: 'acme/model', hasCreditPrice: false }], funds)).toBeNull()
  })

  const changes = (pools: readonly OwnedPool[], fields: Partial<PoolsInput>) =>
    poolChanges({
      bundleId: 'pro',
      isRemoved: false,
      includes: [],
      anchorMs: 0,
      sinceMs: 0,
      interval: 'month',
      nowMs: 1000,
      pools,
      ...fields,
    })

  it('plans never change expiring credit, even if the end user has no plan or is deleted', () => {
    for (const bundleId of ['pro', 'other', null])
      expect(changes([credit('gr_1', 5n)], { bundleId }).postings).toEqual([])
    expect(changes([credit('gr_1', 5n)], { bundleId: null, isRemoved: true }).postings).toEqual([])
  })

  it('expiring credit lapses exactly at its end, with a ledger entry, and no part of the credit lapses before', () => {
    const pools = [credit('gr_1', 5n)]
    const before = changes(pools, { nowMs: 9999 })
    expect(before).toMatchObject({ postings: [], untilMs: 10_000 })
    for (const bundleId of ['pro', null]) {
      const after = changes(pools, { bundleId, nowMs: 10_000 })
      expect(after.postings).toMatchObject([
        { sourceId: 'credit/gr_1', postedDelta: -5n, entry: 'reversal', reason: 'expired' },
      ])
      const [left] = poolsAfter(pools, after)
      expect(left?.source).toMatchObject({ posted: 0n, expired: 5n, withheld: 0n })
      expect(changes(poolsAfter(pools, after), { bundleId, nowMs: 10_000 }).postings).toEqual([])
      expect(after.untilMs).toBeGreaterThan(10_000)
    }
  })

  it('amounts that calls in flight return to expired credit also lapse', () => {
    const [pool] = [credit('gr_1', 5n)]
    if (pool === undefined) throw new Error('there is one')
    const held = { ...pool, source: { ...pool.source, held: 3n } }
    const after = changes([held], { nowMs: 10_000 })
    expect(after.postings).toMatchObject([{ postedDelta: -2n }])
    const back = poolsAfter([held], after).map((some) => ({ ...some, source: { ...some.source, held: 0n } }))
    expect(changes(back, { nowMs: 10_001 }).postings).toMatchObject([{ postedDelta: -3n, reason: 'expired' }])
  })
})
