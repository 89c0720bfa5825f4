import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leftOf, meansOf, stopOf } from './remaining-credit.ts'

const account = (availableMicros: bigint) => ({
  balance: {
    balanceMicros: '0',
    heldMicros: '0',
    availableMicros: String(availableMicros),
    callsInFlight: 0,
    expiringCredit: [],
  },
})
const pool = (granted: bigint, consumed: bigint, unit: 'micros' | 'credits' = 'micros') => ({
  slug: 'base',
  displayName: 'Base',
  unit,
  granted: String(granted),
  consumed: String(consumed),
  spilloverTo: null,
  thenOnDemand: true,
  rolledOver: '0',
  aliases: [],
})
const amount = fc.bigInt({ min: 0n, max: 10n ** 15n })

describe('the remaining credit', () => {
  it('the total of the remaining credit is the sum of its parts, and a debt of the wallet does not reduce the other parts', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
        fc.array(fc.tuple(amount, amount)),
        (own, all) => {
          const pools = all.map(([granted, consumed]) => pool(granted, consumed))
          const { balanceMicros, included, totalMicros } = meansOf(account(own), { pools })
          expect(balanceMicros).toBe(own)
          const ofBalance = own < 0n && pools.length > 0 ? 0n : own
          expect(included.reduce((sum, one) => sum + one.leftMicros, ofBalance)).toBe(totalMicros)
          expect(included.every(({ leftMicros }) => leftMicros >= 0n)).toBe(true)
        },
      ),
    )
  })

  it('the remaining credit includes only amounts of money, not amounts in credits', () => {
    expect(meansOf(account(5n), { pools: [pool(9n, 0n, 'credits')] }).totalMicros).toBe(5n)
    const team = {
      name: 'Labs',
      capMicros: null,
      spentMicros: '1',
      heldMicros: '0',
      availableMicros: '7',
      resetsAt: '2026-12-01T00:00:00.000Z',
      pools: [
        {
          slug: 'tokens',
          displayName: 'Tokens',
          capMicros: '9',
          spentMicros: '6',
          heldMicros: '0',
          availableMicros: '3',
          resetsAt: null,
        },
      ],
    }
    expect(meansOf({ ...account(5n), team }, null)).toEqual({
      totalMicros: 15n,
      balanceMicros: 5n,
      included: [
        { name: 'Tokens', slug: 'team/tokens', leftMicros: 3n },
        { name: 'Labs', slug: 'team', leftMicros: 7n },
      ],
    })
    expect(meansOf(account(5n), null)).toEqual({ totalMicros: 5n, balanceMicros: 5n, included: [] })
    expect(leftOf(pool(5n, 9n))).toBe(0n)
  })
})

describe('the amount at which requests are rejected', () => {
  const off = { enabled: false, limitMicros: '50', ceilingMicros: null, spentMicros: '20', owedMicros: '0' }
  const on = { ...off, enabled: true }
  const limit = (limitMicros: string, spentMicros: string) => ({
    limitMicros,
    spentMicros,
    period: 'month' as const,
    resetsAt: null,
  })

  it('requests are rejected when the money is used up; with on-demand billing, they are rejected when its limit is also used up', () => {
    expect(stopOf({ onDemand: off, spendLimit: null, limits: [] }, { totalMicros: 100n })).toEqual({
      leftMicros: 100n,
      onDemandLeftMicros: 0n,
      limit: null,
    })
    expect(stopOf({ onDemand: on, spendLimit: null, limits: [] }, { totalMicros: 100n }).leftMicros).toBe(
      130n,
    )
    expect(stopOf({ onDemand: on, spendLimit: null, limits: [] }, { totalMicros: -5n }).leftMicros).toBe(30n)
    const unpaid = stopOf(
      { onDemand: on, spendLimit: null, limits: [] },
      { totalMicros: 100n },
      { isBlocked: true },
    )
    expect(unpaid.leftMicros).toBe(100n)
  })

  it('requests are rejected at the lowest limit, whether it is a limit of the plan or of the end user', () => {
    const limits = [limit('80', '30'), limit('40', '0')]
    expect(stopOf({ onDemand: off, spendLimit: limit('60', '0'), limits }, { totalMicros: 100n })).toEqual({
      leftMicros: 40n,
      onDemandLeftMicros: 0n,
      limit: limits[1],
    })
    expect(stopOf({ onDemand: off, spendLimit: null, limits }, { totalMicros: 30n }).limit).toBeNull()
  })

  it('without an on-demand limit, requests are never rejected for lack of money, unless the plan has a limit', () => {
    const open = { ...on, limitMicros: null }
    expect(stopOf({ onDemand: open, spendLimit: null, limits: [] }, { totalMicros: 100n }).leftMicros).toBe(
      null,
    )
    expect(
      stopOf({ onDemand: open, spendLimit: limit('80', '30'), limits: [] }, { totalMicros: 100n }),
    ).toMatchObject({
      leftMicros: 50n,
      limit: limit('80', '30'),
    })
    expect(
      stopOf({ onDemand: off, spendLimit: limit('80', '90'), limits: [] }, { totalMicros: 100n }).leftMicros,
    ).toBe(0n)
    expect(
      stopOf({ onDemand: off, spendLimit: limit('800', '0'), limits: [] }, { totalMicros: 100n }).limit,
    ).toBeNull()
  })
})
