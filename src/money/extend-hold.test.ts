import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit } from './admit.ts'
import { microsMax, MoneyBroken } from './amount.ts'
import {
  aBound,
  aCreditPool,
  aHold,
  aLeg,
  aLimit,
  anOnDemand,
  aPool,
  aQuote,
  aState,
  aWallet,
} from '#tests/fixtures/build-money-values.ts'
import { extend, type Extended } from './extend-hold.ts'
import type { Hold, PersonState, Source } from './decision-types.ts'
import { applyPosting } from './posting.ts'
import { settle } from './settle.ts'
import { zeroUsage } from './usage-counts.ts'

function extended(state: PersonState, hold: Hold, more: number): Extended {
  const answer = extend(state, hold, more)
  if (answer.kind !== 'extended') throw new Error('no room')
  return answer
}

const hold = aHold([aLeg('wallet', 10n)])
const wallet = (posted: bigint): Source => aWallet(posted, { held: 10n })

describe('extend', () => {
  it('an extension increases the existing hold', () => {
    const limits = [aLimit('key_cap', 100n, { heldMicros: 10n })]
    expect(extend(aState([wallet(30n)], { limits }), hold, 5)).toEqual({
      kind: 'extended',
      hold: {
        ...hold,
        bound: { ...hold.bound, outputTokens: 15 },
        worstMicros: 15n,
        legs: [aLeg('wallet', 15n)],
      },
      postings: [
        {
          sourceId: 'wallet',
          unit: 'micros',
          heldDelta: 5n,
          postedDelta: 0n,
          entry: null,
          mayOverdraw: false,
        },
      ],
      addedOutputTokens: 5,
    })
  })

  it('an extension adds as many of the requested tokens as the balance allows, and is rejected if the balance does not allow one token', () => {
    expect(extended(aState([wallet(13n)]), hold, 5).addedOutputTokens).toBe(3)
    expect(extended(aState([wallet(11n)]), hold, 5).addedOutputTokens).toBe(1)
    expect(extend(aState([wallet(10n)]), hold, 5)).toEqual({ kind: 'no_room' })
  })

  it('while a hold is extended, its own amount does not count toward the limits', () => {
    const limit = aLimit('key_cap', 13n, { heldMicros: 10n })
    expect(extended(aState([wallet(99n)], { limits: [limit] }), hold, 5).addedOutputTokens).toBe(3)
    const full = { ...limit, limitMicros: 10n }
    expect(extend(aState([wallet(99n)], { limits: [full] }), hold, 5)).toEqual({ kind: 'no_room' })
  })

  it('a caller who may not start a call may not extend a call either', () => {
    const rich = [wallet(99n)]
    expect(extend(aState(rich, { isFrozen: true }), hold, 5).kind).toBe('no_room')
    expect(extend(aState(rich, { key: { revokedAtMs: 1, expiresAtMs: null } }), hold, 5).kind).toBe('no_room')
    expect(extend(aState(rich, { run: { status: 'capped' } }), hold, 5).kind).toBe('no_room')
  })

  it('if a source is exhausted, an extension continues with the next source in spend order', () => {
    const { hold: after, postings } = extended(aState([wallet(12n), anOnDemand(null)]), hold, 5)
    expect(after.legs).toEqual([aLeg('wallet', 12n), aLeg('on_demand', 3n)])
    expect(postings.map(({ heldDelta, sourceId }) => [sourceId, heldDelta])).toEqual([
      ['wallet', 2n],
      ['on-demand', 3n],
    ])
  })

  it('if a pool has a balance again, the pool pays before the wallet, and the excess hold of the wallet is returned', () => {
    const { hold: after, postings } = extended(aState([aPool('p', 12n), wallet(10n)]), hold, 5)
    expect(after.legs.map(({ amount, sourceId }) => [sourceId, amount])).toEqual([
      ['p', 12n],
      ['wallet', 3n],
    ])
    expect(postings.map(({ heldDelta, sourceId }) => [sourceId, heldDelta])).toEqual([
      ['p', 12n],
      ['wallet', -7n],
    ])
    const all = extended(aState([aPool('p', 15n), wallet(10n)]), hold, 5)
    expect(all.postings.map(({ heldDelta, sourceId }) => [sourceId, heldDelta])).toEqual([
      ['p', 15n],
      ['wallet', -10n],
    ])
  })

  it('a leg whose source can no longer pay remains unchanged and comes before all other legs', () => {
    const legs = [aLeg('wallet', 6n), aLeg('on_demand', 4n)]
    const off = anOnDemand(100n, { isEnabled: false, held: 4n })
    const { hold: after, postings } = extended(aState([aWallet(99n, { held: 6n }), off]), aHold(legs), 5)
    expect(after.legs).toEqual([aLeg('on_demand', 4n), aLeg('wallet', 11n)])
    expect(postings.map(({ heldDelta, sourceId }) => [sourceId, heldDelta])).toEqual([['wallet', 5n]])
  })

  it('if a reversal reduced the wallet below 0, the wallet keeps its part of the hold and holds no further amount', () => {
    const { hold: after } = extended(aState([wallet(-50n), anOnDemand(null)]), hold, 5)
    expect(after.legs).toEqual([aLeg('wallet', 10n), aLeg('on_demand', 5n)])
  })

  it('credit pools do not pay for the extension of a call without a price in credits', () => {
    const quote = aQuote({ credits: { output: 0n } })
    const { hold: after } = extended(aState([aCreditPool('c', 99n), wallet(99n)]), { ...hold, quote }, 5)
    expect(after.legs).toEqual([aLeg('wallet', 15n)])
  })

  it('if a hold was sized for a more expensive target, an extension first uses the surplus, in money and in credits', () => {
    const price = { input: 1_000_000n, output: 1_000_000n }
    const cheap = aQuote({ cost: price, sell: price, credits: price })
    const pool = aCreditPool('stars', 30n, { held: 20n })
    const dear = aHold([aLeg('pool', 20n, { sourceId: pool.id, unit: 'credits' })], {
      quote: cheap,
      bound: aBound({ outputTokens: 10 }),
      worstMicros: 20n,
      worstCredits: 20n,
    })
    const { addedOutputTokens, hold: longer, postings } = extended(aState([pool, aWallet(0n)]), dear, 5)
    expect([addedOutputTokens, longer.worstMicros, longer.worstCredits, postings]).toEqual([5, 20n, 20n, []])
  })

  it('an extended hold never exceeds the largest amount that can be stored', () => {
    const huge = aHold([aLeg('on_demand', microsMax)])
    const state = aState([anOnDemand(null, { held: microsMax })])
    expect(extend(state, { ...huge, bound: aBound({ outputTokens: Number(microsMax) }) }, 1)).toEqual({
      kind: 'no_room',
    })
  })

  it('extend throws unless the number of additional tokens is a whole number of at least one', () => {
    for (const more of [0, -1, 0.5]) {
      expect(() => extend(aState([wallet(99n)]), hold, more)).toThrow(MoneyBroken)
    }
  })

  it('a hold whose legs do not add up is not extended', () => {
    expect(() => extend(aState([wallet(99n)]), { ...hold, worstMicros: 9n }, 1)).toThrow(MoneyBroken)
  })
})

it('the legs of an extended hold pay for all usage within the hold, even if it has legs in money and in credits', () => {
  const amount = fc.bigInt(0n, 300n)
  const rate = fc.bigInt(0n, 3_000_000n)
  fc.assert(
    fc.property(
      fc.record({ credits: amount, pool: amount, wallet: amount, onDemand: amount }),
      fc.record({ credits: amount, pool: amount, wallet: amount }),
      fc.record({ output: rate, input: rate }),
      fc.record({ output: rate, input: rate }),
      fc.record({ textTokens: fc.nat(50), outputTokens: fc.integer({ min: 1, max: 100 }) }),
      fc.integer({ min: 1, max: 200 }),
      fc.tuple(fc.nat(1000), fc.nat(1000)),
      (funds, added, cost, credits, bound, more, [inShare, outShare]) => {
        const quote = aQuote({ cost, credits })
        const before: Source[] = [
          aCreditPool('c', funds.credits),
          aPool('p', funds.pool, { rank: { models: 2, endsAtMs: 1, isPaid: false, sequence: 2 } }),
          aWallet(funds.wallet),
          anOnDemand(funds.onDemand),
        ]
        const admitted = admit(aState(before), quote, aBound(bound), 'call')
        fc.pre(admitted.kind === 'admitted')
        const post = (source: Source, postings: typeof admitted.postings): Source =>
          postings.filter(({ sourceId }) => sourceId === source.id).reduce(applyPosting, source)
        const topped = before.map((source): Source => {
          const plus = { c: added.credits, p: added.pool, wallet: added.wallet }[source.id] ?? 0n
          return { ...post(source, admitted.postings), posted: source.posted + plus }
        })
        const answer = extend(aState(topped), admitted.hold, more)
        fc.pre(answer.kind === 'extended')
        const sources = topped.map((source) => post(source, answer.postings))
        for (const source of sources) {
          const leg = answer.hold.legs.find(({ sourceId }) => sourceId === source.id)
          expect(source.held).toBe(leg?.amount ?? 0n)
        }
        const usage = {
          ...zeroUsage,
          input: Math.floor((bound.textTokens * inShare) / 1000),
          output: Math.floor((answer.hold.bound.outputTokens * outShare) / 1000),
        }
        const settlement = settle({ hold: answer.hold, usage, sources, nowMs: 1000 })
        expect(settlement).toMatchObject({ overHoldMicros: 0n })
        expect(settlement.legs.length).toBeLessThanOrEqual(answer.hold.legs.length)
        expect(settlement.postings.some(({ mayOverdraw }) => mayOverdraw)).toBe(false)
      },
    ),
    { numRuns: 2000 },
  )
})
