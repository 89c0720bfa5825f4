import { describe, expect, it } from 'vitest'
import { adjustLate } from './adjust-late.ts'
import { MoneyBroken } from './amount.ts'
import { aQuote } from '#tests/oracles/money-builders.ts'
import type { Quote } from './hold.ts'
import type { Posting } from './posting.ts'
import { ZERO_USAGE } from './usage.ts'

/** A call settled at `chargeMicros` on a hold of 100, that really used `output` at a micro each. */
function late(chargeMicros: bigint, output: number, quote: Partial<Quote> = {}): Posting | null {
  const settled = { quote: aQuote(quote), worstMicros: 100n, worstCredits: 0n, chargeMicros }
  return adjustLate({ settled, usage: { ...ZERO_USAGE, output }, walletId: 'wallet' })
}

describe('adjustLate', () => {
  it('takes what was charged too little, below 0 if it must', () => {
    expect(late(30n, 50)).toEqual({
      sourceId: 'wallet',
      unit: 'micros',
      heldDelta: 0n,
      postedDelta: -20n,
      entry: 'adjustment',
      mayOverdraw: true,
    })
  })

  it('gives back what was charged too much', () => {
    expect(late(30n, 10)).toMatchObject({ postedDelta: 20n, entry: 'adjustment' })
  })

  it('writes nothing when the guess was right', () => {
    expect(late(30n, 30)).toBeNull()
  })

  it('charges no more than a settle would have', () => {
    expect(late(30n, 500, { policy: 'hard_token' })?.postedDelta).toBe(-70n)
    expect(late(30n, 500, { policy: 'grace', maxOverdraftMicros: 10n })?.postedDelta).toBe(-80n)
    expect(late(30n, 500, { policy: 'complete_message' })?.postedDelta).toBe(-470n)
  })

  it('is computed at the basis price', () => {
    expect(late(30n, 20, { sell: { output: 2_000_000n }, basis: 'sell_price' })?.postedDelta).toBe(-10n)
  })

  it('a charge is not negative', () => {
    expect(() => late(-1n, 1)).toThrow(MoneyBroken)
  })
})
