import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aCreditPool, aLeg, anOnDemand, aPool, aWallet } from '#tests/oracles/money-builders.ts'
import type { Leg, Source } from './hold.ts'
import type { Posting } from './posting.ts'
import { refund, reverseTopup, type Refunded, type RefundInput } from './refund.ts'

const legs = [aLeg('pool', 4n), aLeg('wallet', 3n), aLeg('on_demand', 5n)]
const sources: Source[] = [aPool('pool', 0n), aWallet(0n), anOnDemand(null, { posted: -5n })]
const base = { legs, sources, refundedMicros: 0n, nowMs: 1000, isGoodwill: false }

function refunded(input: Partial<RefundInput> & { amountMicros: bigint }): Refunded {
  const answer = refund({ ...base, ...input })
  if (answer.kind !== 'refunded') throw new Error('more than was charged')
  return answer
}

const back = (postings: readonly Posting[]) =>
  postings.map(({ entry, postedDelta, sourceId }) => [sourceId, postedDelta, entry])

describe('refund', () => {
  it.each([
    [1n, [['on-demand', 1n]]],
    [5n, [['on-demand', 5n]]],
    [
      6n,
      [
        ['on-demand', 5n],
        ['wallet', 1n],
      ],
    ],
    [
      9n,
      [
        ['on-demand', 5n],
        ['wallet', 3n],
        ['pool', 1n],
      ],
    ],
    [
      12n,
      [
        ['on-demand', 5n],
        ['wallet', 3n],
        ['pool', 4n],
      ],
    ],
  ])('%s of 12 goes back to the last payers first', (amountMicros, expected) => {
    const { postings, refundedMicros } = refunded({ amountMicros })
    expect(back(postings)).toEqual(expected.map((each) => [...each, 'refund']))
    expect(refundedMicros).toBe(amountMicros)
  })

  it('a second refund goes on where the first one ended', () => {
    expect(back(refunded({ amountMicros: 4n, refundedMicros: 3n }).postings)).toEqual([
      ['on-demand', 2n, 'refund'],
      ['wallet', 2n, 'refund'],
    ])
  })

  it('no call gives back more than it took', () => {
    expect(refund({ ...base, amountMicros: 13n })).toEqual({
      kind: 'refund_exceeds_debit',
      refundableMicros: 12n,
    })
    expect(refund({ ...base, amountMicros: 3n, refundedMicros: 10n })).toEqual({
      kind: 'refund_exceeds_debit',
      refundableMicros: 2n,
    })
    expect(refunded({ amountMicros: 2n, refundedMicros: 10n }).refundedMicros).toBe(2n)
  })

  it('a pool that is over gets nothing: it came back and ended in the same instant', () => {
    const over: Source[] = [aPool('pool', 0n, { endsAtMs: 1000 }), aWallet(0n)]
    const paid = [aLeg('pool', 4n)]
    const gone = { postings: [], refundedMicros: 3n, expiredMicros: 3n, goodwillMicros: 0n }
    expect(refunded({ amountMicros: 3n, legs: paid, sources: over })).toMatchObject(gone)
    expect(refunded({ amountMicros: 3n, legs: paid, sources: [aWallet(0n)] })).toMatchObject(gone)
    expect(refunded({ amountMicros: 3n, legs: paid, sources: over, nowMs: 999 })).toMatchObject({
      expiredMicros: 0n,
    })
  })

  it('goodwill is a grant to the wallet, beside the refund', () => {
    const { expiredMicros, goodwillMicros, postings } = refunded({
      amountMicros: 6n,
      legs: legs.slice(0, 2),
      sources: [aWallet(0n)],
      isGoodwill: true,
    })
    expect([expiredMicros, goodwillMicros]).toEqual([3n, 3n])
    expect(back(postings)).toEqual([
      ['wallet', 3n, 'refund'],
      ['wallet', 3n, 'grant'],
    ])
  })

  it('goodwill of nothing is no entry', () => {
    expect(refunded({ amountMicros: 3n, isGoodwill: true }).goodwillMicros).toBe(0n)
    expect(back(refunded({ amountMicros: 3n, isGoodwill: true }).postings)).toEqual([
      ['on-demand', 3n, 'refund'],
    ])
  })

  it('a month of on-demand that is over is refunded in money', () => {
    const over = [aPool('pool', 0n), aWallet(0n), anOnDemand(null, { posted: -5n, endsAtMs: 1000 })]
    expect(back(refunded({ amountMicros: 6n, sources: over }).postings)).toEqual([['wallet', 6n, 'refund']])
  })

  it('credits come back in credits, rounded down until the last part', () => {
    const inCredits = [aLeg('pool', 10n, { unit: 'credits', micros: 3n })]
    const pool: Source[] = [aCreditPool('pool', 0n), aWallet(0n)]
    const parts = [0n, 1n, 2n].map((refundedMicros) =>
      refunded({ amountMicros: 1n, refundedMicros, legs: inCredits, sources: pool }),
    )
    expect(parts.map(({ postings }) => postings[0]?.postedDelta)).toEqual([3n, 3n, 4n])
    expect(parts[0]?.postings[0]?.unit).toBe('credits')
  })

  it('credits too few for a micro come back as the walk passes them', () => {
    const tiny = aLeg('pool', 2n, { unit: 'credits', micros: 0n, sourceId: 'tiny' })
    const pools: Source[] = [aCreditPool('tiny', 0n), aPool('pool', 0n), aWallet(0n)]
    const between = { legs: [aLeg('pool', 4n), tiny, aLeg('wallet', 3n)], sources: pools }
    expect(back(refunded({ ...between, amountMicros: 3n }).postings)).toEqual([['wallet', 3n, 'refund']])
    const passing = refunded({ ...between, amountMicros: 1n, refundedMicros: 3n })
    expect(back(passing.postings)).toEqual([
      ['tiny', 2n, 'refund'],
      ['pool', 1n, 'refund'],
    ])
    expect(back(refunded({ ...between, amountMicros: 1n, refundedMicros: 4n }).postings)).toEqual([
      ['pool', 1n, 'refund'],
    ])
    const first = { legs: [tiny, aLeg('wallet', 3n)], sources: pools }
    expect(back(refunded({ ...first, amountMicros: 2n }).postings)).toEqual([['wallet', 2n, 'refund']])
    expect(back(refunded({ ...first, amountMicros: 1n, refundedMicros: 2n }).postings)).toEqual([
      ['wallet', 1n, 'refund'],
      ['tiny', 2n, 'refund'],
    ])
  })

  it('has no answer for a refund of nothing, or for more refunded than was charged', () => {
    expect(() => refund({ ...base, amountMicros: 0n })).toThrow(MoneyBroken)
    expect(() => refund({ ...base, amountMicros: 1n, refundedMicros: -1n })).toThrow(MoneyBroken)
    expect(() => refund({ ...base, amountMicros: 1n, refundedMicros: 13n })).toThrow(MoneyBroken)
  })

  it('in however many parts, all of a call comes back and no more', () => {
    const leg = fc
      .tuple(fc.boolean(), fc.bigInt(1n, 50n), fc.bigInt(0n, 50n))
      .map(([isCredits, amount, micros]): Leg =>
        aLeg('pool', amount, isCredits ? { unit: 'credits', micros } : {}),
      )
    const anyLegs = fc
      .array(leg, { minLength: 1, maxLength: 4 })
      .map((list) => list.map((each, at): Leg => ({ ...each, sourceId: `${at}` })))
    fc.assert(
      fc.property(anyLegs, fc.array(fc.bigInt(1n, 30n), { maxLength: 20 }), (paid, wishes) => {
        const debit = paid.reduce((sum, { micros }) => sum + micros, 0n)
        fc.pre(debit > 0n)
        const pools = paid.map(({ sourceId, unit }) =>
          (unit === 'credits' ? aCreditPool : aPool)(sourceId, 0n),
        )
        const returned = new Map<string, bigint>()
        let refundedMicros = 0n
        for (const wish of [...wishes, debit]) {
          const amountMicros = wish < debit - refundedMicros ? wish : debit - refundedMicros
          if (amountMicros === 0n) break
          const part = refunded({ legs: paid, sources: pools, amountMicros, refundedMicros })
          refundedMicros += part.refundedMicros
          for (const { postedDelta, sourceId } of part.postings) {
            returned.set(sourceId, (returned.get(sourceId) ?? 0n) + postedDelta)
          }
        }
        expect(refundedMicros).toBe(debit)
        for (const { amount, sourceId } of paid) expect(returned.get(sourceId)).toBe(amount)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('reverseTopup', () => {
  it('takes the top-up back, below 0 if it is spent', () => {
    expect(reverseTopup('wallet', 7n)).toEqual({
      sourceId: 'wallet',
      unit: 'micros',
      heldDelta: 0n,
      postedDelta: -7n,
      entry: 'reversal',
      mayOverdraw: true,
    })
  })

  it('of at least one micro', () => {
    expect(() => reverseTopup('wallet', 0n)).toThrow(MoneyBroken)
  })
})
