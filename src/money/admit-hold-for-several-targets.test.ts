import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aBound, aQuote, aState, aWallet } from '#tests/fixtures/build-money-values.ts'
import { admit } from './admit.ts'
import { admitOffer, type Offer } from './admit-hold-for-several-targets.ts'
import { settle } from './settle.ts'
import { zeroUsage } from './usage-counts.ts'

const quoteAt = (micros: number) => {
  const price = { input: BigInt(micros) * 1_000_000n, output: BigInt(micros) * 1_000_000n }
  return aQuote({ id: `quote_${micros}`, cost: price, sell: price })
}

describe('a hold for several targets', () => {
  it('a hold for several targets covers any usage up to the request’s maximum at any of the targets', () => {
    const whole = fc.nat(40)
    const prices = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(prices, whole, whole, fc.nat(2_000), fc.nat(), (asked, input, output, balance, pick) => {
        const quotes = asked.map(quoteAt)
        const dearest = quoteAt(Math.max(...asked))
        const [first = dearest] = quotes
        const bound = aBound({ textTokens: input, outputTokens: output + 1 })
        const state = aState([aWallet(BigInt(balance))])
        const offers: Offer[] = [
          { covers: dearest, quote: first, bound, mayClamp: first.id === dearest.id },
          ...(first.id === dearest.id ? [] : [{ covers: first, quote: first, bound, mayClamp: true }]),
        ]
        const decision = admitOffer(state, offers, 'call')
        if (decision.kind === 'refused') {
          expect(admit(state, first, bound, 'call').kind).toBe('refused')
          return
        }
        const covered = decision.offer === 0 ? quotes : [first]
        const quote = covered[pick % covered.length] ?? first
        const used = { ...zeroUsage, input, output: decision.hold.bound.outputTokens }
        const held = { ...decision.hold, quote }
        const wallet = aWallet(BigInt(balance), { held: decision.hold.worstMicros })
        const settled = settle({ hold: held, usage: used, sources: [wallet], nowMs: state.nowMs })
        expect(settled.overHoldMicros).toBe(0n)
        expect(settled.chargeMicros).toBe(settled.costMicros)
      }),
      { numRuns: 10_000 },
    )
  })

  it('an end user who may not spend is rejected before any target is checked', () => {
    const offer: Offer = { covers: quoteAt(1), quote: quoteAt(1), bound: aBound(), mayClamp: true }
    expect(admitOffer(aState([], { isFrozen: true }), [offer], 'call')).toMatchObject({
      code: 'end_user_frozen',
    })
  })
})
