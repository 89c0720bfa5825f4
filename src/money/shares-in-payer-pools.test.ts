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
  aTeamPool,
  aWallet,
} from '#tests/fixtures/build-money-values.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { admit } from './admit.ts'
import { MoneyBroken } from './amount.ts'
import type { PoolSource, Source } from './decision-types.ts'
import { paidNothing } from './charge-split-by-payer.ts'
import { applyPosting, type Posting } from './posting.ts'
import { chargeParts, leftOf, returnFrom, returnPostings } from './refund-by-source.ts'
import { settle } from './settle.ts'
import {
  available,
  balanceOf,
  payerOf,
  payingSources,
  sharedSourceId,
  teamPoolSourceId,
  withoutHolds,
} from './payment-sources.ts'
import { zeroUsage } from './usage-counts.ts'

const shareId = 'team/payer/pro/p/once'
const call = (micros: number) => aBound({ outputTokens: micros })
const used = (output: number) => ({ ...zeroUsage, output })
const orderOf = (sources: readonly Source[]) =>
  payingSources('acme/model', aQuote(), { nowMs: 1000, sources }).map(({ id }) => id)

function refusedBy(sources: readonly Source[], micros: number) {
  const decision = admit(aState(sources), aQuote(), call(micros), 'call')
  return decision.kind === 'refused' ? decision : null
}

describe("a share in a payer's pool", () => {
  it('the ID of a share names the payer and the pool', () => {
    expect(teamPoolSourceId('eu_1', 'bun_1/tokens/12')).toBe('team/eu_1/bun_1/tokens/12')
    expect(payerOf('team/eu_1/bun_1/tokens/12')).toBe('eu_1')
    expect(sharedSourceId('team/eu_1/bun_1/tokens/12/rolled1')).toBe('bun_1/tokens/12/rolled1')
    expect(sharedSourceId('team/eu_1/2026-11')).toBe('wallet')
  })

  it.each([
    ['without a lower cap, the pool is the limit', aTeamPool(10n, { pool: { held: 3n } }), 7n],
    ['a cap below the balance is the limit', aTeamPool(10n, { pool: { memberCap: 4n } }), 4n],
    [
      'the cap counts spent and held amounts',
      aTeamPool(10n, { posted: -2n, held: 3n, pool: { memberCap: 9n } }),
      4n,
    ],
    ['a pool that is over pays nothing', { ...aTeamPool(10n), pool: null }, 0n],
  ])('%s', (_rule, source, left) => {
    expect(available(source)).toBe(left)
  })

  it('shared pools pay after the member’s own pools, and before expiring credit and wallets', () => {
    const sources = [
      anOnDemand(5n),
      aWallet(5n),
      aTeam(5n),
      aTeamPool(5n),
      aPool('credit/gr_1', 5n),
      aPool('own', 5n),
    ]
    expect(orderOf(sources)).toEqual([
      'own',
      shareId,
      'credit/gr_1',
      'team/payer/1970-01',
      'wallet',
      'on-demand',
    ])
  })

  it('shared pools pay in the same order as for the payer’s own requests', () => {
    const share = (slug: string, fields: Partial<PoolSource>) =>
      aTeamPool(5n, {
        id: `team/payer/pro/${slug}/once`,
        pool: { id: `pro/${slug}/once`, slug, ...fields },
      })
    const rank = (sequence: number) => ({ models: 1, endsAtMs: 9, isPaid: false, sequence })
    const first = share('a', { rank: rank(1), spilloverTo: 'c' })
    const second = share('b', { rank: rank(2) })
    const third = share('c', { rank: rank(3), spilloverTo: null, thenOnDemand: false })
    expect(orderOf([aWallet(9n), second, third, first])).toEqual([first.id, third.id])
  })

  it.each([
    ['a share that is not open', aTeamPool(5n, { isOpen: false })],
    ['a share in a pool that is over', { ...aTeamPool(5n), pool: null }],
    ['a share in a pool of a former plan', aTeamPool(5n, { pool: { isSuspended: true } })],
    ['a share in a pool for other model names', aTeamPool(5n, { pool: { models: ['other/*'] } })],
    ['a share in a pool that has not begun', aTeamPool(5n, { pool: { startsAtMs: 2000 } })],
  ])('%s pays nothing', (_rule, source) => {
    expect(orderOf([source, aWallet(5n)])).toEqual(['wallet'])
  })

  it('if a pool of the member allows no other source, no shared pool pays', () => {
    expect(orderOf([aPool('own', 5n, { thenOnDemand: false }), aTeamPool(50n)])).toEqual(['own'])
  })

  it('if a shared pool allows no other source, a rejection names the pool and the time when it ends', () => {
    const last = aTeamPool(0n, { pool: { thenOnDemand: false, endsAtMs: 9000 } })
    expect(refusedBy([last, aWallet(50n)], 6)).toMatchObject({
      code: 'insufficient_credit',
      limitSource: 'pool',
      limit: 0n,
      resetsAtMs: 9000,
    })
  })

  it('a rejected request may wait only if the money would suffice without amounts held for other requests', () => {
    const spent = [aTeamPool(10n, { posted: -6n, pool: { memberCap: 6n } }), aWallet(0n)]
    expect(refusedBy(spent, 1)).toMatchObject({ code: 'insufficient_credit', limit: 0n, held: 0n })
    const held = [aTeamPool(10n, { pool: { memberCap: 6n, held: 10n } }), aWallet(0n)]
    expect(refusedBy(held, 1)).toMatchObject({ code: 'balance_held', limit: 6n, held: 6n })
    expect(balanceOf(withoutHolds(aTeamPool(10n, { held: 4n, pool: { held: 4n } })))).toEqual({
      posted: 10n,
      held: 0n,
    })
    expect(withoutHolds({ ...aTeamPool(1n), pool: null }).pool).toBeNull()
  })

  it('a member cannot add credit to the pool of the payer', () => {
    const posting = { sourceId: shareId, unit: 'micros', heldDelta: 0n, mayOverdraw: false } as const
    expect(() => applyPosting(aTeamPool(5n), { ...posting, postedDelta: 1n, entry: 'refund' })).toThrow(
      MoneyBroken,
    )
  })
})

describe('a charge to a shared pool', () => {
  const charged = chargeParts([
    { kind: 'charge', legs: [aLeg('team_pool', 5n)], paid: { ...paidNothing, planMicros: 5n } },
  ])
  const back = (sources: readonly Source[]) =>
    returnPostings(returnFrom(charged, 3n).returned, {
      entry: 'refund',
      walletId: 'wallet',
      sources,
      nowMs: 1000,
    })

  it('a charge to a shared pool counts as paid by the plan, and a refund returns it to the pool', () => {
    const share = aTeamPool(5n, { posted: -5n, pool: { granted: 10n } })
    expect(charged).toMatchObject([{ paidBy: 'plan', micros: 5n }])
    expect(back([share, aWallet(0n)])).toMatchObject({
      restored: [{ sourceId: shareId, postedDelta: 3n }],
      converted: null,
    })
  })

  it.each([
    ['is over', { ...aTeamPool(5n, { posted: -5n }), pool: null }],
    ['belongs to a former plan', aTeamPool(5n, { posted: -5n, pool: { granted: 10n, isSuspended: true } })],
  ])('a refund credits the wallet of the payer if the pool %s', (_state, share) => {
    const { converted, legs, restored } = back([share, aWallet(0n)])
    expect(restored).toMatchObject([{ sourceId: shareId, postedDelta: 3n, creditsPayer: true }])
    expect(legs).toMatchObject([{ sourceId: shareId, amount: 3n, micros: 3n }])
    expect(converted).toBeNull()
    expect(() => back([aWallet(0n)])).toThrow(MoneyBroken)
  })
})

describe('conservation of money', () => {
  const amount = fc.bigInt({ min: 0n, max: 50n })

  it('after a charge and its full refund, the pools and wallets of payer and member are unchanged', () => {
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, amount, (held, pool, cap, wallet, own, use) => {
        const start = [
          aTeamPool(pool, { pool: { memberCap: cap } }),
          aTeam(wallet),
          aWallet(own, { given: own / 2n }),
          anOnDemand(1000n),
        ]
        const decision = admit(aState(start), aQuote(), call(Number(held)), 'call')
        expect(decision.kind).toBe('admitted')
        if (decision.kind !== 'admitted') return
        const holding = applied(start, decision.postings)
        const output = Number(use < held ? use : held)
        const { legs, paid, postings } = settle({
          hold: decision.hold,
          usage: used(output),
          sources: holding,
          nowMs: 1000,
        })
        const after = applied(holding, postings)
        const most = [pool, cap, BigInt(output)].reduce((one, other) => (one < other ? one : other))
        expect(paid.planMicros).toBe(most)
        if (output === 0) return
        const parts = chargeParts([{ kind: 'charge', legs, paid }])
        const { returned } = returnFrom(parts, leftOf(parts))
        const into = { entry: 'refund', walletId: 'wallet', sources: after, nowMs: 1000 } as const
        const { converted, restored } = returnPostings(returned, into)
        expect(converted).toBeNull()
        expect(applied(after, restored)).toEqual(start)
      }),
      sampledRuns(3000),
    )
  })
})

/** Applies postings as the ledger does. Each posting to a share is repeated on the source of the payer. */
function applied(sources: readonly Source[], postings: readonly Posting[]): Source[] {
  let after = [...sources]
  for (const posting of postings) {
    after = after.map((source) => {
      if (source.id !== posting.sourceId) return source
      const own = applyPosting(source, posting)
      if (own.kind === 'team_pool' && own.pool !== null)
        return { ...own, pool: applyPosting(own.pool, { ...posting, sourceId: own.pool.id }) }
      if (own.kind !== 'team') return own
      const { given, held, posted } = applyPosting(aWallet(0n, own.wallet), {
        ...posting,
        sourceId: 'wallet',
      })
      return { ...own, wallet: { posted, held, given } }
    })
  }
  return after
}
