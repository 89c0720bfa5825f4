import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anOnDemand, aPool, aQuote, aWallet, MICRO_A_TOKEN } from '#tests/fixtures/build-money-values.ts'
import { MoneyBroken } from './amount.ts'
import { lateCharge, lateDifference, type LateUsage } from './late-charge-correction.ts'
import { zeroUsage, type Usage } from './usage-counts.ts'

const usage = (output: number): Usage => ({ ...zeroUsage, output })
const late = (truth: number, fields: Partial<LateUsage> = {}): LateUsage => ({
  quote: aQuote(),
  worstMicros: 100n,
  recovered: usage(75),
  truth: usage(truth),
  chargeMicros: 75n,
  recoveredMicros: 75n,
  recoveredBilledMicros: 75n,
  ...fields,
})

describe('computing the late difference of a recovered call', () => {
  it('the late correction of a recovered call charges the usage beyond the checkpoint', () => {
    expect(lateDifference(late(85))).toEqual({
      costMicros: 10n,
      billedMicros: 10n,
      chargeMicros: 10n,
      credits: 0n,
    })
  })

  it('if less was used than charged, the late correction of a recovered call returns the difference', () => {
    expect(lateDifference(late(60))).toMatchObject({
      costMicros: -15n,
      billedMicros: -15n,
      chargeMicros: -15n,
    })
  })

  it('the late correction of a recovered call is zero if the checkpoint had the true usage', () => {
    expect(lateDifference(late(75))).toMatchObject({ costMicros: 0n, billedMicros: 0n, chargeMicros: 0n })
  })

  it('the late correction charges at most the hold, for every policy', () => {
    for (const policy of ['hard_token', 'complete_message', 'grace'] as const) {
      const quote = aQuote({ policy, maxOverdraftMicros: policy === 'grace' ? 50n : 0n })
      expect(lateDifference(late(140, { quote }))).toMatchObject({ costMicros: 65n, chargeMicros: 25n })
    }
  })

  it('the late correction returns at most the part of the charge that is not already refunded', () => {
    expect(lateDifference(late(60, { chargeMicros: 5n }))).toMatchObject({ chargeMicros: -5n })
  })

  it('the late correction uses the sell price if the sell price is the debit basis', () => {
    const quote = aQuote({ basis: 'sell_price', sell: { input: 2_000_000n, output: 2_000_000n } })
    const sold = late(85, {
      quote,
      worstMicros: 200n,
      chargeMicros: 150n,
      recoveredMicros: 150n,
      recoveredBilledMicros: 150n,
    })
    expect(lateDifference(sold)).toMatchObject({ costMicros: 10n, billedMicros: 20n, chargeMicros: 20n })
  })

  it('the late correction also computes the additional charge in credits', () => {
    const quote = aQuote({ credits: MICRO_A_TOKEN })
    expect(lateDifference(late(85, { quote })).credits).toBe(10n)
    expect(lateDifference(late(60, { quote })).credits).toBe(0n)
  })

  it('the late correction keeps the total charge between 0 and the hold', () => {
    const counts = fc.record({ recovered: fc.nat(100), refunded: fc.nat(100), truth: fc.nat(300) })
    fc.assert(
      fc.property(counts, ({ recovered, refunded, truth }) => {
        const recoveredMicros = BigInt(recovered)
        const left = recoveredMicros - BigInt(Math.min(recovered, refunded))
        const { chargeMicros } = lateDifference(
          late(truth, {
            recovered: usage(recovered),
            recoveredMicros,
            recoveredBilledMicros: recoveredMicros,
            chargeMicros: left,
          }),
        )
        expect(left + chargeMicros).toBeGreaterThanOrEqual(0n)
        expect(left + chargeMicros).toBeLessThanOrEqual(100n)
      }),
    )
  })
})

describe('charging the sources for usage that a recovery had missed', () => {
  const ask = { chargeMicros: 10n, credits: 0n }

  it('an additional charge is taken from the sources that can pay now, in their order', () => {
    const sources = [aPool('plan', 4n, { id: 'plan' }), aWallet(100n)]
    const { legs, postings, uncollectedMicros } = lateCharge(ask, 'acme/model', aQuote(), sources, 500)
    expect(legs.map(({ micros, sourceId }) => [sourceId, micros])).toEqual([
      ['plan', 4n],
      ['wallet', 6n],
    ])
    expect(postings).toMatchObject([
      { sourceId: 'plan', postedDelta: -4n, entry: 'adjustment', mayOverdraw: false },
      { sourceId: 'wallet', postedDelta: -6n, entry: 'adjustment', mayOverdraw: false },
    ])
    expect(uncollectedMicros).toBe(0n)
  })

  it('an additional charge never overdraws an end user', () => {
    const sources = [aWallet(9n, { held: 6n }), anOnDemand(2n)]
    const { legs, uncollectedMicros } = lateCharge(ask, 'acme/model', aQuote(), sources, 500)
    expect(legs.map(({ micros }) => micros)).toEqual([3n, 2n])
    expect(uncollectedMicros).toBe(5n)
    expect(lateCharge(ask, 'acme/model', aQuote(), [aWallet(-5n)], 500)).toMatchObject({
      legs: [],
      postings: [],
      uncollectedMicros: 10n,
    })
  })

  it('lateCharge throws if the additional charge is 0', () => {
    expect(() => lateCharge({ chargeMicros: 0n, credits: 0n }, 'a', aQuote(), [], 0)).toThrow(MoneyBroken)
  })
})
