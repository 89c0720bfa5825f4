import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aLeg, anOnDemand, aPool, aWallet } from '#tests/fixtures/build-money-values.ts'
import { MoneyBroken } from './amount.ts'
import { assertPaid, paidBy, paidNothing, walletSplit } from './charge-split-by-payer.ts'
import { applyPosting, entryPosting, givenAfter, type LedgerKind, type Posting } from './posting.ts'

describe('paidBy', () => {
  it('each leg of a charge is attributed to the kind of its source', () => {
    const legs = [
      aLeg('pool', 4n),
      aLeg('pool', 5n, { sourceId: 'credit/gr_1' }),
      aLeg('wallet', 9n),
      aLeg('on_demand', 3n),
    ]
    const sources = [aPool('pool', 4n), aWallet(7n, { given: 2n }), anOnDemand(null)]
    expect(paidBy(legs, sources)).toEqual({
      planMicros: 4n,
      giftMicros: 7n,
      walletMicros: 5n,
      onDemandMicros: 3n,
      overdraftMicros: 2n,
    })
  })

  it('credits that pay for a call count with their value in money, not with their number', () => {
    const legs = [aLeg('pool', 2n, { unit: 'credits', micros: 40n })]
    expect(paidBy(legs, [])).toEqual({ ...paidNothing, planMicros: 40n })
  })

  it('a free call is paid by no source', () => {
    expect(paidBy([], [])).toEqual(paidNothing)
  })

  it('a charge that a wallet paid cannot be split if the granted part of the wallet’s balance is unknown', () => {
    expect(() => paidBy([aLeg('wallet', 1n)], [])).toThrow(MoneyBroken)
  })
})

describe('walletSplit', () => {
  it.each([
    // The columns are posted, given, debit, gift, paid and overdraft.
    [10n, 4n, 0n, 0n, 0n, 0n],
    [10n, 4n, 3n, 3n, 0n, 0n],
    [10n, 4n, 4n, 4n, 0n, 0n],
    [10n, 4n, 5n, 4n, 1n, 0n],
    [10n, 4n, 10n, 4n, 6n, 0n],
    [10n, 4n, 11n, 4n, 6n, 1n],
    [0n, 0n, 5n, 0n, 0n, 5n],
    [-3n, 0n, 5n, 0n, 0n, 5n],
  ])(
    'a wallet with %s, of which %s are granted, splits a debit of %s into granted money, paid money and overdraft',
    (posted, given, debit, gift, paid, overdraft) => {
      expect(walletSplit({ posted, given }, debit)).toEqual({
        giftMicros: gift,
        walletMicros: paid,
        overdraftMicros: overdraft,
      })
    },
  )
})

describe('givenAfter', () => {
  const table: [LedgerKind, posted: bigint, given: bigint, delta: bigint, after: bigint][] = [
    ['grant', 0n, 0n, 5n, 5n],
    ['grant', -3n, 0n, 5n, 2n],
    ['grant', -9n, 0n, 5n, 0n],
    ['topup', 4n, 4n, 5n, 4n],
    ['topup', -3n, 0n, 5n, 0n],
    ['adjustment', 4n, 1n, 5n, 6n],
    ['adjustment', 4n, 1n, -2n, 0n],
    ['adjustment', 4n, 3n, -2n, 1n],
    ['adjustment', 4n, 3n, -9n, 0n],
    ['usage_debit', 10n, 4n, -3n, 1n],
    ['usage_debit', 10n, 4n, -5n, 0n],
    ['refund', 10n, 4n, 5n, 4n],
    // The reversal of a top-up takes paid money first, and then granted money.
    ['reversal', 10n, 4n, -5n, 4n],
    ['reversal', 10n, 4n, -8n, 2n],
    ['reversal', 10n, 4n, -12n, 0n],
  ]
  it.each(table)(
    'an entry of kind %s on a balance of %s (granted: %s) with an amount of %s leaves a granted part of %s',
    (entry, posted, given, delta, after) => {
      expect(givenAfter({ posted, given }, { entry, postedDelta: delta })).toBe(after)
    },
  )

  it('a posting may specify the granted part of its amount', () => {
    const wallet = { posted: 10n, given: 4n }
    const after = (postedDelta: bigint, givenDelta: bigint) =>
      givenAfter(wallet, { entry: 'refund', postedDelta, givenDelta })
    expect([after(5n, 0n), after(5n, 2n), after(5n, 5n)]).toEqual([4n, 6n, 9n])
    expect([after(-5n, 0n), after(-5n, -4n)]).toEqual([4n, 0n])
    for (const [posted, given] of [
      [5n, 6n],
      [5n, -1n],
      [-5n, 1n],
      [-5n, -6n],
      [-5n, -5n],
    ] as const) {
      expect(() => after(posted, given)).toThrow(MoneyBroken)
    }
  })
})

describe('assertPaid', () => {
  it('assertPaid rejects parts that do not add up, and negative parts', () => {
    expect(() => assertPaid({ ...paidNothing, planMicros: 3n, giftMicros: 2n }, 5n)).not.toThrow()
    expect(() => assertPaid({ ...paidNothing, planMicros: 3n }, 5n)).toThrow(MoneyBroken)
    for (const part of Object.keys(paidNothing)) {
      const parts = { ...paidNothing, planMicros: 6n, walletMicros: 6n, [part]: -1n }
      expect(() =>
        assertPaid(
          parts,
          Object.values(parts).reduce((sum, one) => sum + one, 0n),
        ),
      ).toThrow(MoneyBroken)
    }
  })
})

describe('a random history of a wallet', () => {
  const step = fc.record({
    entry: fc.constantFrom<LedgerKind>('grant', 'topup', 'usage_debit', 'adjustment', 'refund', 'reversal'),
    amount: fc.bigInt({ min: 1n, max: 50n }),
    isNegative: fc.boolean(),
    share: fc.bigInt({ min: 0n, max: 50n }),
  })

  it('each debit is split exactly into gift, paid and overdraft, and the granted part of the wallet never exceeds its balance', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let wallet = aWallet(0n)
        let [givenIn, paidIn, giftOut, paidOut] = [0n, 0n, 0n, 0n]
        for (const { amount, entry, isNegative, share } of steps) {
          const isDebit =
            entry === 'usage_debit' || entry === 'reversal' || (entry === 'adjustment' && isNegative)
          const posting: Posting = {
            ...entryPosting('wallet', 'micros', isDebit ? -amount : amount, entry, true),
            ...(entry === 'refund' ? { givenDelta: share < amount ? share : amount } : {}),
          }
          if (entry === 'usage_debit') {
            const paid = paidBy([aLeg('wallet', amount)], [wallet])
            assertPaid(paid, amount)
            giftOut += paid.giftMicros
            paidOut += paid.walletMicros
          } else if (!isDebit) {
            const gift = posting.givenDelta ?? (entry === 'topup' ? 0n : amount)
            givenIn += gift
            paidIn += amount - gift
          }
          wallet = applyPosting(wallet, posting)
          expect(wallet.given >= 0n && wallet.given <= (wallet.posted > 0n ? wallet.posted : 0n)).toBe(true)
        }
        // Calls never spend more granted money than was granted, nor more paid money than was received. A grant to a
        // wallet below 0 reduces the debt of the overdraft.
        expect(giftOut <= givenIn && paidOut <= paidIn).toBe(true)
      }),
    )
  })
})
