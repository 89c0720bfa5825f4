import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aCreditPool, anOnDemand, aPool, aWallet } from '#tests/fixtures/build-money-values.ts'
import { applyPosting, entryPosting, holdPosting, poolPosting } from './posting.ts'

describe('applyPosting', () => {
  it('a posting changes no other field than the held and the posted amount', () => {
    const pool = aPool('p', 10n, { held: 4n })
    const after = applyPosting(pool, {
      sourceId: 'p',
      unit: 'micros',
      heldDelta: -4n,
      postedDelta: -3n,
      entry: 'usage_debit',
      mayOverdraw: false,
    })
    expect(after).toEqual({ ...pool, held: 0n, posted: 7n })
    expect(pool.held).toBe(4n)
  })

  it('the held amount of a source is never negative', () => {
    const wallet = aWallet(10n, { held: 5n })
    expect(applyPosting(wallet, holdPosting('wallet', 'micros', -5n)).held).toBe(0n)
    expect(() => applyPosting(wallet, holdPosting('wallet', 'micros', -6n))).toThrow(MoneyBroken)
  })

  it('a pool is never overdrawn, not even by a posting that may overdraw a wallet', () => {
    const pool = aCreditPool('p', 10n)
    expect(applyPosting(pool, holdPosting('p', 'credits', 10n)).held).toBe(10n)
    expect(() => applyPosting(pool, holdPosting('p', 'credits', 11n))).toThrow(MoneyBroken)
    expect(() => applyPosting(pool, entryPosting('p', 'credits', -11n, 'adjustment', true))).toThrow(
      MoneyBroken,
    )
  })

  it('amounts that a plan removes from a pool are recorded separately from amounts that calls consume', () => {
    const pool = aPool('p', 10n, { held: 4n })
    const lapsed = applyPosting(pool, poolPosting(pool, -6n, 'reversal', 'expired'))
    expect(lapsed).toEqual({ ...pool, posted: 4n, expired: 6n })
    const left = applyPosting(pool, poolPosting(pool, -6n, 'reversal', 'plan_changed'))
    expect(left).toEqual({ ...pool, posted: 4n, withheld: 6n })
    expect(applyPosting(left, poolPosting(left, 6n, 'adjustment', 'plan_changed'))).toEqual(pool)
    const carried = applyPosting(pool, poolPosting(pool, -6n, 'adjustment', 'used_on_another_plan'))
    expect(carried).toEqual(left)
    const empty = { ...pool, posted: 0n, held: 0n }
    expect(applyPosting(empty, poolPosting(pool, 10n, 'grant', 'included'))).toEqual({ ...pool, held: 0n })
  })

  it('a plan cannot return more to a pool than it removed from the pool, or add more than the granted amount', () => {
    const pool = aPool('p', 10n)
    for (const reason of ['plan_changed', 'expired', 'included'] as const) {
      expect(() => applyPosting(pool, poolPosting(pool, 1n, 'adjustment', reason))).toThrow(MoneyBroken)
    }
  })

  it('only a posting that is marked as an overdraft reduces a wallet below 0', () => {
    const wallet = aWallet(10n, { held: 4n })
    expect(applyPosting(wallet, entryPosting('wallet', 'micros', -6n, 'adjustment')).posted).toBe(4n)
    expect(() => applyPosting(wallet, entryPosting('wallet', 'micros', -7n, 'adjustment'))).toThrow(
      MoneyBroken,
    )
    expect(applyPosting(wallet, entryPosting('wallet', 'micros', -70n, 'reversal', true)).posted).toBe(-60n)
  })

  it('an overdrawn wallet can receive money and settle its holds, but cannot hold more', () => {
    const wallet = aWallet(-10n, { held: 4n })
    expect(applyPosting(wallet, entryPosting('wallet', 'micros', 3n, 'topup')).posted).toBe(-7n)
    const settled = { ...entryPosting('wallet', 'micros', -4n, 'usage_debit'), heldDelta: -4n }
    expect(applyPosting(wallet, settled)).toMatchObject({ posted: -14n, held: 0n })
    expect(() => applyPosting(wallet, holdPosting('wallet', 'micros', 1n))).toThrow(MoneyBroken)
  })

  it('the balance of on-demand is never positive', () => {
    const onDemand = anOnDemand(100n, { posted: -5n })
    expect(applyPosting(onDemand, entryPosting('on-demand', 'micros', 5n, 'refund')).posted).toBe(0n)
    expect(() => applyPosting(onDemand, entryPosting('on-demand', 'micros', 6n, 'refund'))).toThrow(
      MoneyBroken,
    )
  })

  it('no call is debited to a closed month, and the payment of the month’s invoice sets the balance to 0', () => {
    const open = anOnDemand(100n, { posted: -5n, closedUntilMs: 0 })
    const closed = { ...open, closedUntilMs: open.endsAtMs }
    const debit = entryPosting('on-demand', 'micros', -1n, 'usage_debit')
    const hold = holdPosting('on-demand', 'micros', 1n)
    expect(applyPosting(open, debit).posted).toBe(-6n)
    expect(() => applyPosting(closed, debit)).toThrow('no call uses a closed month')
    expect(() => applyPosting(closed, hold)).toThrow('no call uses a closed month')
    expect(applyPosting(closed, entryPosting('on-demand', 'micros', 5n, 'adjustment')).posted).toBe(0n)
  })

  it('a posting without a ledger entry must not change the posted amount, and a posting with an entry must change it', () => {
    const wallet = aWallet(10n)
    expect(() => applyPosting(wallet, { ...holdPosting('wallet', 'micros', 1n), postedDelta: -1n })).toThrow(
      MoneyBroken,
    )
    expect(() => applyPosting(wallet, entryPosting('wallet', 'micros', 0n, 'grant'))).toThrow(MoneyBroken)
  })

  it('a posting whose source or unit differs from the balance is rejected', () => {
    expect(() => applyPosting(aWallet(10n), holdPosting('other', 'micros', 1n))).toThrow(MoneyBroken)
    expect(() => applyPosting(aWallet(10n), holdPosting('wallet', 'credits', 1n))).toThrow(MoneyBroken)
    expect(() => applyPosting(aCreditPool('p', 10n), holdPosting('p', 'micros', 1n))).toThrow(MoneyBroken)
  })
})
