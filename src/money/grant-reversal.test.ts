import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { unspentOfGrant, type GrantOfPerson } from './grant-reversal.ts'

const grant: GrantOfPerson = {
  amountMicros: 100n,
  reversedMicros: 0n,
  laterMicros: 0n,
  givenMicros: 100n,
  freeMicros: 100n,
}

describe('the unspent part of a grant', () => {
  it('before any spending, the whole grant is unspent', () => {
    expect(unspentOfGrant(grant)).toBe(100n)
  })

  it('older grants are spent first, so the unspent credit belongs to the newest grants', () => {
    expect(unspentOfGrant({ ...grant, givenMicros: 130n, freeMicros: 130n })).toBe(100n)
    expect(unspentOfGrant({ ...grant, laterMicros: 60n })).toBe(40n)
    expect(unspentOfGrant({ ...grant, laterMicros: 100n })).toBe(0n)
    expect(unspentOfGrant({ ...grant, laterMicros: 101n })).toBe(0n)
  })

  it('earlier reversals reduce the unspent part of a grant', () => {
    expect(unspentOfGrant({ ...grant, reversedMicros: 70n })).toBe(30n)
    expect(unspentOfGrant({ ...grant, reversedMicros: 100n })).toBe(0n)
  })

  it('the unspent part of a grant is at most the amount that no call in flight holds', () => {
    expect(unspentOfGrant({ ...grant, freeMicros: 25n })).toBe(25n)
    expect(unspentOfGrant({ ...grant, freeMicros: -5n })).toBe(0n)
  })

  it('unspentOfGrant throws for a negative amount, and if more was reversed than granted', () => {
    for (const wrong of [
      { givenMicros: -1n },
      { laterMicros: -1n },
      { reversedMicros: -1n },
      { reversedMicros: 101n },
    ])
      expect(() => unspentOfGrant({ ...grant, ...wrong })).toThrow(MoneyBroken)
  })

  it('the unspent part equals the result of a model that tracks each grant and spends the oldest first', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('gift' as const), amount: fc.bigInt({ min: 1n, max: 50n }) }),
      fc.record({ kind: fc.constant('spend' as const), amount: fc.bigInt({ min: 1n, max: 40n }) }),
      fc.record({ kind: fc.constant('reverse' as const), amount: fc.nat(20).map(BigInt) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const lots: { amount: bigint; reversed: bigint; left: bigint }[] = []
        const unspent = (at: number): bigint => {
          const lot = lots[at]
          const givenMicros = lots.reduce((sum, { left }) => sum + left, 0n)
          return unspentOfGrant({
            amountMicros: lot?.amount ?? 0n,
            reversedMicros: lot?.reversed ?? 0n,
            laterMicros: lots
              .slice(at + 1)
              .reduce((sum, { amount, reversed }) => sum + amount - reversed, 0n),
            givenMicros,
            freeMicros: givenMicros,
          })
        }
        for (const { amount, kind } of steps) {
          if (kind === 'gift') lots.push({ amount, reversed: 0n, left: amount })
          if (kind === 'spend') {
            let due = amount
            for (const lot of lots) {
              const taken = lot.left < due ? lot.left : due
              lot.left -= taken
              due -= taken
            }
          }
          if (kind === 'reverse' && lots.length > 0) {
            const at = Number(amount) % lots.length
            const taken = unspent(at)
            const lot = lots[at]
            if (lot) {
              lot.left -= taken
              lot.reversed += taken
            }
          }
          for (const [at, lot] of lots.entries()) expect(unspent(at)).toBe(lot.left)
        }
      }),
    )
  })
})
