import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  aBound,
  aLeg,
  anOnDemand,
  aPool,
  aQuote,
  aState,
  aTeam,
  aWallet,
} from '#tests/fixtures/build-money-values.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { admit } from './admit.ts'
import { MoneyBroken } from './amount.ts'
import type { Leg, Source } from './decision-types.ts'
import { paidBy, paidByPayer, paidNothing, withGivenParts } from './charge-split-by-payer.ts'
import { applyPosting, type Posting } from './posting.ts'
import { chargeParts, leftOf, returnFrom, returnPostings } from './refund-by-source.ts'
import { settle } from './settle.ts'
import { available, balanceOf, payerOf, payingSources, teamSourceId } from './payment-sources.ts'
import { zeroUsage } from './usage-counts.ts'

const teamId = 'team/payer/1970-01'
const call = (micros: number) => aBound({ outputTokens: micros })
const used = (output: number) => ({ ...zeroUsage, output })

function refusedBy(sources: readonly Source[], micros: number) {
  const decision = admit(aState(sources), aQuote(), call(micros), 'call')
  return decision.kind === 'refused' ? decision : null
}

describe("a share in a payer's wallet", () => {
  it('the ID of a share contains the payer and the month', () => {
    expect(teamSourceId('eu_1', Date.UTC(2026, 10, 1))).toBe('team/eu_1/2026-11')
    expect(payerOf('team/eu_1/2026-11')).toBe('eu_1')
    expect(payerOf('wallet')).toBeNull()
  })

  it('if a leg does not state its granted part, the whole leg counts as money that the payer has paid for', () => {
    expect(paidByPayer([aLeg('team', 5n), aLeg('wallet', 2n)])).toBe(5n)
    expect(paidByPayer([aLeg('team', 5n, { givenMicros: 2n })])).toBe(3n)
  })

  it.each([
    ['without a cap, the wallet is the limit', aTeam(10n, { wallet: { held: 3n } }), 7n],
    ['a cap below the balance is the limit', aTeam(10n, { capMicros: 4n }), 4n],
    ['the cap counts spent and held amounts', aTeam(10n, { capMicros: 9n, posted: -2n, held: 3n }), 4n],
    ['the wallet is the limit below the cap', aTeam(2n, { capMicros: 9n }), 2n],
  ])('%s', (_rule, source, left) => {
    expect(available(source)).toBe(left)
  })

  it('the payer pays after pools and expiring credit, and before the member’s own wallet and on-demand', () => {
    const sources = [anOnDemand(5n), aWallet(5n), aTeam(5n), aPool('p', 5n), aPool('credit/gr_1', 5n)]
    const order = payingSources('acme/model', aQuote(), { nowMs: 1000, sources }).map(({ id }) => id)
    expect(order).toEqual(['p', 'credit/gr_1', teamId, 'wallet', 'on-demand'])
  })

  it.each([
    ['a share that is not open', aTeam(5n, { isOpen: false })],
    ['a share of another month', aTeam(5n, { startsAtMs: 2000 })],
  ])('%s pays nothing', (_rule, source) => {
    const paying = payingSources('acme/model', aQuote(), { nowMs: 1000, sources: [source, aWallet(5n)] })
    expect(paying.map(({ id }) => id)).toEqual(['wallet'])
  })

  it('if a pool of the member allows no other source, the team’s payer does not pay', () => {
    const sources = [aPool('p', 5n, { thenOnDemand: false }), aTeam(50n)]
    expect(refusedBy(sources, 6)).toBeNull()
    expect(payingSources('acme/model', aQuote(), { nowMs: 1000, sources })).toHaveLength(1)
  })

  it('if a request costs more than the member’s cap allows, the rest is paid from the member’s own wallet', () => {
    const decision = admit(aState([aTeam(50n, { capMicros: 4n }), aWallet(3n)]), aQuote(), call(7), 'call')
    expect(decision).toMatchObject({
      kind: 'admitted',
      hold: { legs: [aLeg('team', 4n), aLeg('wallet', 3n)] },
    })
  })

  it('a rejection reports the total that the member could spend, and lets the request wait only if held amounts cause the rejection', () => {
    const spent = [aTeam(0n, { capMicros: 6n, posted: -5n }), aWallet(0n)]
    expect(refusedBy(spent, 1)).toMatchObject({ code: 'insufficient_credit', limit: 0n, held: 0n })
    const spentCap = [aTeam(10n, { capMicros: 6n, posted: -6n }), aWallet(0n)]
    expect(refusedBy(spentCap, 1)).toMatchObject({ code: 'spend_limit_exceeded', limit: 6n, held: 0n })
    const heldByOthers = [aTeam(10n, { capMicros: 6n, wallet: { held: 10n } }), aWallet(0n)]
    expect(refusedBy(heldByOthers, 1)).toMatchObject({ code: 'balance_held', limit: 6n, held: 6n })
    const heldUnderCap = [aTeam(10n, { capMicros: 6n, held: 6n, wallet: { held: 6n } }), aWallet(0n)]
    expect(refusedBy(heldUnderCap, 1)).toMatchObject({ code: 'balance_held', limit: 6n, held: 6n })
  })

  it('the debt of a payer does not reduce the money of the member', () => {
    expect(balanceOf(aTeam(-8n))).toEqual({ posted: 0n, held: 0n })
    expect(refusedBy([aTeam(-8n), aWallet(1n)], 2)).toBeNull()
  })

  it('a member cannot add money to the wallet of the payer', () => {
    const posting = { sourceId: teamId, unit: 'micros', heldDelta: 0n, mayOverdraw: false } as const
    expect(() => applyPosting(aTeam(5n), { ...posting, postedDelta: 1n, entry: 'refund' })).toThrow(
      MoneyBroken,
    )
  })
})

describe('the split of a charge', () => {
  it('granted credit of the payer is spent first, and each leg stores its granted part', () => {
    const sources = [aTeam(10n, { wallet: { given: 4n } }), aWallet(0n)]
    const again = { ...aTeam(10n, { wallet: { given: 4n } }), id: 'team/payer/1970-02' }
    const legs = [aLeg('team', 3n), aLeg('team', 5n, { sourceId: again.id }), aLeg('wallet', 2n)]
    const split = withGivenParts(legs, [...sources, again])
    expect(split.map(({ givenMicros }) => givenMicros)).toEqual([3n, 1n, undefined])
    expect(paidBy(split, [aWallet(2n)])).toEqual({ ...paidNothing, giftMicros: 4n, walletMicros: 6n })
  })

  it('settling takes the charge from the payer, and returns the unused part of the hold to the payer', () => {
    const sources = [aTeam(10n, { held: 8n, wallet: { held: 8n, given: 2n } }), aWallet(0n)]
    const hold = {
      callId: 'call',
      quote: aQuote(),
      bound: call(8),
      worstMicros: 8n,
      worstCredits: 0n,
      legs: [aLeg('team', 8n)],
    }
    const { legs, paid, postings } = settle({ hold, usage: used(5), sources, nowMs: 1000 })
    expect(legs).toEqual([aLeg('team', 5n, { givenMicros: 2n })])
    expect(paid).toEqual({ ...paidNothing, giftMicros: 2n, walletMicros: 3n })
    expect(postings).toMatchObject([{ sourceId: teamId, heldDelta: -8n, postedDelta: -5n }])
  })

  it('a refund first returns the paid part of a charge, even after the month has ended', () => {
    const legs = [aLeg('team', 5n, { givenMicros: 2n })]
    const parts = chargeParts([
      { kind: 'charge', legs, paid: { ...paidNothing, giftMicros: 2n, walletMicros: 3n } },
    ])
    const { returned } = returnFrom(parts, 4n)
    const sources = [aTeam(0n, { posted: -5n, isOpen: false }), aWallet(0n)]
    const back = returnPostings(returned, { entry: 'refund', walletId: 'wallet', sources, nowMs: 9_000_000 })
    expect(back.restored).toMatchObject([{ sourceId: teamId, postedDelta: 4n, givenDelta: 1n }])
    expect(back.converted).toBeNull()
    const without = { entry: 'refund', walletId: 'wallet', sources: [aWallet(0n)], nowMs: 0 } as const
    expect(() => returnPostings(returned, without)).toThrow(MoneyBroken)
  })

  it('a refund of paid money alone has no granted part', () => {
    const legs = [aLeg('team', 5n, { givenMicros: 0n })]
    const { returned } = returnFrom(
      chargeParts([{ kind: 'charge', legs, paid: { ...paidNothing, walletMicros: 5n } }]),
      5n,
    )
    const sources = [aTeam(0n, { posted: -5n }), aWallet(0n)]
    const back = returnPostings(returned, { entry: 'refund', walletId: 'wallet', sources, nowMs: 1000 })
    expect(back.restored).toMatchObject([{ postedDelta: 5n, givenDelta: 0n }])
  })
})

describe('conservation of money', () => {
  const amount = fc.bigInt({ min: 0n, max: 50n })

  it('after a charge and its full refund, the balances of the payer and the member, and their granted parts, are unchanged', () => {
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        amount,
        fc.option(amount),
        amount,
        (held, ofPayer, own, given, cap, use) => {
          const payerGiven = given < ofPayer ? given : ofPayer
          const start = [
            aTeam(ofPayer, { capMicros: cap, wallet: { given: payerGiven } }),
            aWallet(own, { given: own / 2n }),
            anOnDemand(1000n),
          ]
          const decision = admit(aState(start), aQuote(), call(Number(held)), 'call')
          expect(decision.kind).toBe('admitted')
          if (decision.kind !== 'admitted') return
          const holding = applied(start, decision.postings)
          const output = Number(use < held ? use : held)
          const settlement = settle({
            hold: decision.hold,
            usage: used(output),
            sources: holding,
            nowMs: 1000,
          })
          const after = applied(holding, settlement.postings)
          expect(settlement.legs.reduce((sum, { micros }) => sum + micros, 0n)).toBe(BigInt(output))
          expect(takenFrom(settlement.legs)).toBeLessThanOrEqual(
            cap === null || cap > ofPayer ? ofPayer : cap,
          )
          if (output === 0) return
          const parts = chargeParts([{ kind: 'charge', legs: settlement.legs, paid: settlement.paid }])
          const { returned } = returnFrom(parts, leftOf(parts))
          const into = { entry: 'refund', walletId: 'wallet', sources: after, nowMs: 1000 } as const
          const { converted, restored } = returnPostings(returned, into)
          expect(converted).toBeNull()
          expect(applied(after, restored)).toEqual(start)
        },
      ),
      sampledRuns(3000),
    )
  })
})

/** Applies postings as the ledger does. Each posting to the share is repeated on the payer's wallet. */
function applied(sources: readonly Source[], postings: readonly Posting[]): Source[] {
  let after = [...sources]
  for (const posting of postings) {
    after = after.map((source) => {
      if (source.id !== posting.sourceId) return source
      const own = applyPosting(source, posting)
      if (own.kind !== 'team') return own
      const wallet = applyPosting(aWallet(0n, own.wallet), { ...posting, sourceId: 'wallet' })
      return { ...own, wallet: { posted: wallet.posted, held: wallet.held, given: wallet.given } }
    })
  }
  return after
}

function takenFrom(legs: readonly Leg[]): bigint {
  return legs.reduce((sum, { amount, kind }) => (kind === 'team' ? sum + amount : sum), 0n)
}
