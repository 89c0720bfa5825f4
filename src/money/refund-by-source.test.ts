import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anOnDemand, aPool, aWallet } from '#tests/fixtures/build-money-values.ts'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { MoneyBroken } from './amount.ts'
import type { Leg, Source } from './decision-types.ts'
import { paidNothing, type Paid } from './charge-split-by-payer.ts'
import { applyPosting } from './posting.ts'
import {
  billedPart,
  chargeParts,
  leftOf,
  paidOf,
  returnFrom,
  returnPostings,
  type ChargeStep,
} from './refund-by-source.ts'

const leg = (sourceId: string, micros: bigint, more: Partial<Leg> = {}): Leg => ({
  sourceId,
  kind: sourceId === 'wallet' ? 'wallet' : sourceId === 'on-demand' ? 'on_demand' : 'pool',
  unit: 'micros',
  amount: micros,
  micros,
  ...more,
})
const paid = (fields: Partial<Paid>): Paid => ({ ...paidNothing, ...fields })
const charge = (legs: readonly Leg[], fields: Partial<Paid> | null): ChargeStep => ({
  kind: 'charge',
  legs,
  paid: fields && paid(fields),
})
const back = (micros: bigint): ChargeStep => ({ kind: 'return', micros })

/**
 * A charge that all kinds of sources paid: 10 from the plan, 5 from a credit pool, 7 granted, 20 paid, 30 on-demand, 3
 * overdrawn.
 */
const everything = charge(
  [leg('plan', 10n), leg('credit/gr_1', 5n), leg('wallet', 27n), leg('on-demand', 30n), leg('wallet', 3n)],
  { planMicros: 10n, giftMicros: 12n, walletMicros: 20n, onDemandMicros: 30n, overdraftMicros: 3n },
)

describe('the parts of a charge', () => {
  it('the parts of a charge are in the order of payment, with the wallet split into granted and paid money', () => {
    expect(
      chargeParts([everything]).map(({ micros, paidBy, sourceId }) => [sourceId, paidBy, micros]),
    ).toEqual([
      ['plan', 'plan', 10n],
      ['credit/gr_1', 'gift', 5n],
      ['wallet', 'gift', 7n],
      ['wallet', 'wallet', 20n],
      ['on-demand', 'on_demand', 30n],
      ['wallet', 'overdraft', 3n],
    ])
  })

  it('if a call record has no split by payer, its wallet money counts as granted', () => {
    const parts = chargeParts([charge([leg('credit/gr_1', 4n), leg('wallet', 6n)], null)])
    expect(parts.map(({ micros, paidBy }) => [paidBy, micros])).toEqual([
      ['gift', 4n],
      ['gift', 6n],
    ])
  })

  it('a split of the charge that does not match the legs throws an error', () => {
    expect(() => chargeParts([charge([leg('wallet', 6n)], { walletMicros: 5n })])).toThrow(MoneyBroken)
    expect(() => chargeParts([charge([leg('credit/gr_1', 6n)], { giftMicros: 5n })])).toThrow(MoneyBroken)
  })

  it('a leg with an amount of zero is not a part of the charge', () => {
    expect(chargeParts([charge([leg('wallet', 0n)], {})])).toEqual([])
  })
})

describe('returnFrom', () => {
  it('a refund returns money first to the source that paid last', () => {
    const { returned } = returnFrom(chargeParts([everything]), 60n)
    expect(returned.map(({ micros, part }) => [part.paidBy, micros])).toEqual([
      ['overdraft', 3n],
      ['on_demand', 30n],
      ['wallet', 20n],
      ['gift', 7n],
    ])
    expect(paidOf(returned)).toEqual({
      planMicros: 0n,
      walletMicros: -20n,
      giftMicros: -7n,
      onDemandMicros: -30n,
      overdraftMicros: -3n,
    })
  })

  it('a refund continues where the previous refund ended, and returns later additional charges before the first charge', () => {
    const parts = chargeParts([everything, back(40n), charge([leg('wallet', 8n)], { walletMicros: 8n })])
    expect(leftOf(parts)).toBe(43n)
    const { returned } = returnFrom(parts, 10n)
    expect(returned.map(({ micros, part }) => [part.paidBy, micros])).toEqual([
      ['wallet', 8n],
      ['wallet', 2n],
    ])
  })

  it('a refund is at least one micro and at most the charge', () => {
    const parts = chargeParts([everything])
    expect(() => returnFrom(parts, 0n)).toThrow(MoneyBroken)
    expect(() => returnFrom(parts, 76n)).toThrow(MoneyBroken)
    expect(leftOf(returnFrom(parts, 75n).parts)).toBe(0n)
  })

  it('several refunds give each source the same amount as one refund of the sum, and never more than the source paid', () => {
    const legs = fc.array(fc.record({ credits: fc.bigInt(1n, 1_000n), micros: fc.bigInt(1n, 1_000n) }), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(legs, fc.array(fc.bigInt(1n, 700n), { maxLength: 12 }), (pools, steps) => {
        const all = pools.map(({ credits, micros }, i) =>
          leg(`pool-${i}`, micros, { unit: 'credits', amount: credits }),
        )
        let parts = chargeParts([charge(all, { planMicros: all.reduce((sum, one) => sum + one.micros, 0n) })])
        const total = leftOf(parts)
        const got = new Map<string, bigint>()
        let sum = 0n
        for (const step of [...steps, total]) {
          const micros = step < leftOf(parts) ? step : leftOf(parts)
          if (micros === 0n) break
          const { parts: after, returned } = returnFrom(parts, micros)
          parts = after
          sum += micros
          for (const { amount, part } of returned)
            got.set(part.sourceId, (got.get(part.sourceId) ?? 0n) + amount)
          for (const one of all) expect(got.get(one.sourceId) ?? 0n).toBeLessThanOrEqual(one.amount)
        }
        expect(sum).toBe(total)
        for (const one of all) expect(got.get(one.sourceId)).toBe(one.amount)
      }),
    )
  })
})

const into = (sources: readonly Source[], nowMs = 500) => ({
  entry: 'refund' as const,
  walletId: 'wallet',
  sources,
  nowMs,
})

describe('the entries of a refund', () => {
  const plan = aPool('plan', 100n, { id: 'plan', posted: 90n })
  const credit = aPool('credit', 100n, { id: 'credit/gr_1', posted: 90n })
  const month = anOnDemand(null, { posted: -30n })

  it('each source that paid gets an entry of the refund', () => {
    const sources = [plan, credit, aWallet(50n), month]
    const { returned } = returnFrom(chargeParts([everything]), 75n)
    const { converted, legs, restored } = returnPostings(returned, into(sources))
    // The charge overdrew the wallet by 3. The end user has repaid this debt since, so the refund of the overdraft is
    // granted.
    expect(converted).toMatchObject({ sourceId: 'wallet', postedDelta: 3n, givenDelta: 3n })
    expect(
      restored.map(({ givenDelta, postedDelta, sourceId }) => [sourceId, postedDelta, givenDelta]),
    ).toEqual([
      ['on-demand', 30n, undefined],
      // The 27 micros include 7 micros that were granted.
      ['wallet', 27n, 7n],
      ['credit/gr_1', 5n, undefined],
      ['plan', 10n, undefined],
    ])
    expect(legs.reduce((sum, { micros }) => sum + micros, 0n)).toBe(75n)
  })

  it('the refund of an overdraft first reduces the debt of the wallet, and the rest is granted', () => {
    const { returned } = returnFrom(chargeParts([everything]), 75n)
    const sources = [plan, credit, aWallet(-2n), month]
    const { converted, restored } = returnPostings(returned, into(sources))
    expect(restored[0]).toMatchObject({ postedDelta: 29n, givenDelta: 7n })
    // The refunded overdraft is 3, but the debt is only 2. The rest is a separate grant, so that the reversal of an
    // older grant does not affect the rest.
    expect(converted).toMatchObject({ postedDelta: 1n, givenDelta: 1n })
    const owing = returnPostings(returned, into([plan, credit, aWallet(-20n), month]))
    expect(owing.restored[0]).toMatchObject({ postedDelta: 30n, givenDelta: 7n })
    expect(owing.converted).toBeNull()
  })

  it('refunded amounts become granted credit if their source cannot accept them', () => {
    const { returned } = returnFrom(chargeParts([everything]), 75n)
    const converts = (sources: readonly Source[], nowMs = 500): bigint =>
      returnPostings(returned, into([aWallet(-3n), ...sources], nowMs)).converted?.postedDelta ?? 0n
    expect(converts([plan, credit, month])).toBe(0n)
    expect(converts([plan, credit])).toBe(30n)
    expect(converts([plan, credit, month], 1_000_000)).toBe(30n)
    expect(converts([plan, credit, anOnDemand(null, { posted: -29n })])).toBe(30n)
    expect(converts([credit, month])).toBe(10n)
    expect(converts([{ ...plan, isSuspended: true }, credit, month])).toBe(10n)
    expect(converts([{ ...plan, endsAtMs: 500 }, credit, month])).toBe(10n)
    expect(converts([{ ...plan, posted: 91n }, credit, month])).toBe(10n)
    expect(returnPostings(returned, into([aWallet(-3n)])).converted).toMatchObject({
      postedDelta: 45n,
      givenDelta: 45n,
      entry: 'refund',
    })
  })

  it('refunds of less than a millionth of a credit are written when they add up to a millionth', () => {
    const stars = aPool('stars', 10n, { id: 'stars', unit: 'credits', currency: 'stars', posted: 9n })
    const parts = chargeParts([
      charge([leg('stars', 5n, { unit: 'credits', amount: 1n })], { planMicros: 5n }),
    ])
    const first = returnFrom(parts, 4n)
    expect(returnPostings(first.returned, into([stars, aWallet(0n)]))).toMatchObject({
      restored: [],
      legs: [{ amount: 0n, micros: 4n }],
    })
    const last = returnFrom(first.parts, 1n)
    expect(returnPostings(last.returned, into([stars, aWallet(0n)])).restored).toMatchObject([
      { sourceId: 'stars', unit: 'credits', postedDelta: 1n },
    ])
  })

  it('a refund fails if the end user has no wallet', () => {
    expect(() => returnPostings([], into([]))).toThrow(MoneyBroken)
  })

  it('if each source gets back an integer amount of its unit, refunds lose no amount and never turn granted money into paid money', () => {
    const states = fc.record({
      wallet: fc.integer({ min: -50, max: 50 }),
      given: fc.nat(50),
      micros: fc.integer({ min: 1, max: 75 }),
      hasPlan: fc.boolean(),
      hasMonth: fc.boolean(),
    })
    fc.assert(
      fc.property(states, ({ given, hasMonth, hasPlan, micros, wallet }) => {
        const posted = BigInt(wallet)
        const most = posted > 0n ? posted : 0n
        const before = aWallet(posted, { given: BigInt(given) < most ? BigInt(given) : most })
        let sources: Source[] = [before, credit, ...(hasPlan ? [plan] : []), ...(hasMonth ? [month] : [])]
        const total = sources.reduce((sum, source) => sum + source.posted, 0n)
        const { returned } = returnFrom(chargeParts([everything]), BigInt(micros))
        const { converted, restored } = returnPostings(returned, into(sources))
        for (const posting of [...restored, ...(converted ? [converted] : [])])
          sources = sources.map((source) =>
            source.id === posting.sourceId ? applyPosting(source, posting) : source,
          )
        expect(sources.reduce((sum, source) => sum + source.posted, 0n) - total).toBe(BigInt(micros))
        const [after] = sources
        if (after?.kind !== 'wallet') throw new Error('the wallet is the first')
        const earned = (source: typeof before): bigint =>
          (source.posted > 0n ? source.posted : 0n) - source.given
        // At most the 20 micros that were paid from bought credit may return as bought credit.
        expect(earned(after) - earned(before)).toBeLessThanOrEqual(-paidOf(returned).walletMicros)
        expect(after.given).toBeGreaterThanOrEqual(0n)
      }),
    )
  })
})

describe('a wallet below 0', () => {
  const plan = aPool('plan', 1_000n, { id: 'plan', posted: 0n })
  const month = anOnDemand(null, { posted: -1_000n })
  const amount = fc.bigInt(0n, 40n)
  const split = fc.record({
    plan: amount,
    gift: amount,
    wallet: amount,
    onDemand: amount,
    overdraft: amount,
  })

  const chargeOf = (by: Record<'plan' | 'gift' | 'wallet' | 'onDemand' | 'overdraft', bigint>): ChargeStep =>
    charge(
      [
        leg('plan', by.plan),
        leg('wallet', by.gift + by.wallet + by.overdraft),
        leg('on-demand', by.onDemand),
      ],
      {
        planMicros: by.plan,
        giftMicros: by.gift,
        walletMicros: by.wallet,
        onDemandMicros: by.onDemand,
        overdraftMicros: by.overdraft,
      },
    )

  const apply = (sources: readonly Source[], parts: ReturnType<typeof returnFrom>['returned']): Source[] => {
    const { converted, restored } = returnPostings(parts, into(sources))
    const postings = [...restored, ...(converted === null ? [] : [converted])]
    return sources.map((source) =>
      postings.filter(({ sourceId }) => sourceId === source.id).reduce(applyPosting, source),
    )
  }

  it('if a wallet is below 0, a refund for on-demand usage of an ended month repays the debt, and only its rest is granted', () => {
    const parts = chargeParts([
      charge([leg('wallet', 1_849n), leg('on-demand', 128n)], {
        walletMicros: 1_849n,
        onDemandMicros: 128n,
      }),
    ])
    const { returned } = returnFrom(parts, 1_690n)
    const postings = returnPostings(returned, into([aWallet(-65n)]))
    expect(postings.restored).toMatchObject([{ postedDelta: 1_562n, givenDelta: 0n }])
    expect(postings.converted).toMatchObject({ postedDelta: 128n, givenDelta: 63n })
    expect(apply([aWallet(-65n)], returned)).toMatchObject([{ posted: 1_625n, given: 63n }])
  })

  it('refunds in steps of one micro to a wallet below 0 leave the same paid and granted money as a refund in one step', () => {
    const states = fc.record({
      charges: fc.array(split, { minLength: 1, maxLength: 3 }),
      posted: fc.bigInt(-150n, 20n),
      given: amount,
      share: fc.integer({ min: 1, max: 100 }),
      hasPlan: fc.boolean(),
      hasMonth: fc.boolean(),
    })
    fc.assert(
      fc.property(states, ({ charges, given, hasMonth, hasPlan, posted, share }) => {
        let parts = chargeParts(charges.map(chargeOf))
        const micros = (leftOf(parts) * BigInt(share)) / 100n
        if (micros === 0n) return
        const most = posted > 0n ? posted : 0n
        const wallet = aWallet(posted, { given: given < most ? given : most })
        const before: Source[] = [wallet, ...(hasPlan ? [plan] : []), ...(hasMonth ? [month] : [])]
        let inSteps = before
        const whole = apply(before, returnFrom(parts, micros).returned)
        for (let done = 0n; done < micros; done += 1n) {
          const step = returnFrom(parts, 1n)
          inSteps = apply(inSteps, step.returned)
          ;({ parts } = step)
        }
        expect(whole).toEqual(inSteps)
      }),
      propertyRuns(300),
    )
  })
})

describe('the sell price of a refund', () => {
  it('the refunded share of the sell price is the refunded share of the charge', () => {
    expect(billedPart(300n, 50n, 100n)).toBe(150n)
    expect(billedPart(301n, 50n, 100n)).toBe(150n)
    expect(billedPart(301n, 100n, 100n)).toBe(301n)
    expect(() => billedPart(1n, 0n, 100n)).toThrow(MoneyBroken)
    expect(() => billedPart(1n, 101n, 100n)).toThrow(MoneyBroken)
  })
})
