import { describe, expect, it } from 'vitest'
import { failureOfRefusal } from '#gateway/call/failure-of-money-rejection.ts'
import { aCreditPool, aLimit, anOnDemand, aPool, aTeam, aWallet } from '#tests/fixtures/build-money-values.ts'
import { headroomRefusal } from '#money/headroom.ts'
import type { Limit, Source } from '#money/decision-types.ts'
import type { ErrorDetails } from './errors.ts'
import { dollarsText, refusalSentence } from './sentence-of-money-rejection.ts'

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const none = { topUpUrl: null, payUrl: null }
const shop = { topUpUrl: 'https://acme.example/credit', payUrl: 'https://acme.example/pay' }

interface Asked {
  readonly limits?: readonly Limit[]
  readonly sources?: readonly Source[]
  readonly micros: bigint
  readonly credits?: bigint
  readonly plan?: Parameters<typeof failureOfRefusal>[0]['plan']
  readonly config?: typeof none | typeof shop
  readonly isUnpaid?: boolean
}

function failureOf({
  config = none,
  credits = 0n,
  isUnpaid = false,
  limits = [],
  micros,
  plan = null,
  sources = [],
}: Asked) {
  const overdue = isUnpaid ? anOnDemand(1_000n, { untilMs: 1 }) : null
  const refusal = headroomRefusal(limits, sources, { micros, credits }, overdue)
  const invoice = { id: 'inv_1', amountMicros: 3_000_000n, dueAtMs: day('2026-11-20') }
  const facts = { config, portalUrl: 'http://acme.portal.localhost', overdue: isUnpaid ? invoice : null }
  return failureOfRefusal({ ...refusal, ...(plan && { plan, resetsAtMs: plan.renewsAtMs }) }, facts)
}

const renewing = { poolName: 'Monthly usage', renewsAtMs: day('2026-12-23'), isOnDemandOff: false }

describe('the sentence for an end user whose request is rejected for money', () => {
  it('the sentence states the credits of the plan and when the credits renew', () => {
    const calls = { currency: 'calls', granted: 5_000_000n, endsAtMs: day('2026-12-23') }
    const spent = failureOf({
      sources: [aCreditPool('c', 0n, calls), aWallet(0n)],
      micros: 100n,
      credits: 1_000_000n,
      plan: renewing,
    })
    expect(spent.message).toBe(
      "Your plan's 5 calls are used up and renew on December 23. This request needs up to 1 calls or $0.0001. Add credit, or request fewer tokens.",
    )
    expect(spent).toMatchObject({
      code: 'insufficient_credit',
      details: {
        limitSource: 'pool',
        limit: '500',
        used: '500',
        held: '0',
        available: '0',
        requested: '100',
        resetsAt: '2026-12-23T00:00:00.000Z',
        portalUrl: 'http://acme.portal.localhost',
        poolUnit: 'calls',
        poolGranted: '5000000',
        poolLeft: '0',
        poolRequested: '1000000',
      },
    })
    const some = failureOf({
      sources: [aCreditPool('c', 500_000n, calls)],
      micros: 100n,
      credits: 1_000_000n,
      plan: renewing,
    })
    expect(some.message).toMatch(
      /^Your plan has 0\.5 of its 5 calls left; more are granted on December 23\. This request needs up to 1 calls or \$0\.0001\./,
    )
  })

  it('the sentence states the cap of a team member and when the cap resets', () => {
    const share = aTeam(900_000n, { capMicros: 60n, posted: -46n, endsAtMs: day('2026-12-01') })
    const capped = failureOf({ sources: [share, aWallet(0n)], micros: 17n })
    expect(capped.message).toBe(
      'Your monthly limit in the team of $0.00006 has $0.000014 left and resets on December 1. This request needs up to $0.000017.',
    )
    expect(capped).toMatchObject({
      code: 'spend_limit_exceeded',
      details: { limitSource: 'member_cap', limit: '60', used: '46', available: '14' },
    })
  })

  it('the sentence names a pool of money, disabled on-demand billing, and the page where credit is sold', () => {
    const pool = aPool('monthly', 0n, { granted: 5_000_000n, endsAtMs: day('2026-12-23') })
    const failure = failureOf({
      sources: [pool, aWallet(20n)],
      micros: 100n,
      plan: { ...renewing, isOnDemandOff: true },
      config: shop,
    })
    expect(failure.message).toBe(
      "Your plan's Monthly usage ($5.00) is used up and renews on December 23. In total, $0.00002 is available. On-demand billing is off. This request needs up to $0.0001. Add credit at https://acme.example/credit",
    )
    expect(failure.details).toMatchObject({ portalUrl: shop.topUpUrl, available: '20' })
    const left = failureOf({ sources: [{ ...pool, posted: 50n }], micros: 100n, plan: renewing })
    expect(left.message).toMatch(
      /^Your plan's Monthly usage has \$0\.00005 of \$5\.00 left and renews on December 23\. This/,
    )
    const last = failureOf({ sources: [pool], micros: 100n, plan: { ...renewing, renewsAtMs: null } })
    expect(last.message).toMatch(/^Your plan's Monthly usage \(\$5\.00\) is used up\. This/)
  })

  it('the sentence states the balance of the end user if the plan has no pool', () => {
    expect(failureOf({ sources: [aWallet(0n)], micros: 64n }).message).toBe(
      'Your balance is used up. This request needs up to $0.000064. Add credit, or request fewer tokens.',
    )
    expect(failureOf({ sources: [aWallet(63n)], micros: 64n }).message).toMatch(
      /^Your balance has \$0\.000063 left\. This request needs up to \$0\.000064\./,
    )
    // If the balance of the wallet is negative, no amount remains.
    expect(failureOf({ sources: [aWallet(-5n)], micros: 64n }).message).toMatch(/^Your balance is used up\./)
  })

  it('the sentence names the past-due invoice that blocks on-demand billing, and the page where the invoice is paid', () => {
    const pool = aPool('monthly', 0n, { granted: 1_000_000n, endsAtMs: day('2026-12-01') })
    const asked = { sources: [pool, aWallet(0n)], micros: 100n, plan: renewing, isUnpaid: true }
    const failure = failureOf({ ...asked, config: shop })
    expect(failure.message).toBe(
      "Your plan's Monthly usage ($1.00) is used up and renews on December 23. On-demand billing is blocked until invoice inv_1 ($3.00, due November 20) is paid. This request needs up to $0.0001. Pay the invoice at https://acme.example/pay",
    )
    expect(failure.details).toMatchObject({ limitSource: 'unpaid_invoice', portalUrl: shop.payUrl })
    expect(
      refusalSentence('insufficient_credit', { limitSource: 'unpaid_invoice', requested: '1' }),
    ).toContain('On-demand billing is blocked until your past-due invoice is paid.')
  })

  it.each([
    ['key_cap', "This key's cap of $0.15 has $0.000001 left and resets on December 1."],
    [
      'portal_total',
      'The shared spend limit of keys created in the portal of $0.15 has $0.000001 left and resets on December 1.',
    ],
    ['bundle_limit', "Your plan's spend limit of $0.15 has $0.000001 left and resets on December 1."],
    ['end_user_limit', 'Your spend limit of $0.15 has $0.000001 left and resets on December 1.'],
  ] as const)('the sentence names %s with its amounts in dollars', (kind, cause) => {
    const limit = aLimit(kind, 150_000n, { spentMicros: 149_999n, resetsAtMs: day('2026-12-01') })
    const failure = failureOf({ limits: [limit], sources: [aWallet(1_000_000n)], micros: 7_938n })
    expect(failure.code).toBe('spend_limit_exceeded')
    expect(failure.message).toBe(`${cause} This request needs up to $0.007938.`)
    const full = { ...limit, spentMicros: 150_000n, resetsAtMs: null }
    expect(failureOf({ limits: [full], micros: 1n }).message).toMatch(/ of \$0\.15 is reached\. This/)
  })

  it('the sentence names the limit of on-demand billing and the ceiling of a run', () => {
    const onDemand = anOnDemand(5_000_000n, { posted: -5_000_000n, endsAtMs: day('2026-12-01') })
    expect(failureOf({ sources: [aWallet(0n), onDemand], micros: 9n, config: shop }).message).toBe(
      'Your monthly on-demand limit of $5.00 is reached and resets on December 1. This request needs up to $0.000009. Add credit at https://acme.example/credit',
    )
    const limits = [aLimit('outcome_run', 30n, { spentMicros: 10n })]
    const { code, details } = failureOf({ limits, micros: 31n })
    expect(refusalSentence('outcome_capped', { ...details, run: 'r-1' })).toBe(
      'The ceiling of the run r-1 of $0.00003 has $0.00002 left. This request needs up to $0.000031. Start another run, raise the ceiling, or request fewer tokens.',
    )
    expect(code).toBe('outcome_capped')
  })

  it('the sentence states when held money may become available again', () => {
    expect(failureOf({ sources: [aWallet(50n, { held: 30n })], micros: 40n }).message).toBe(
      'Requests in progress hold $0.00003 of your balance, which leaves $0.00002. This request needs up to $0.00004. Unused credit is returned when those requests finish. Retry in 1 s.',
    )
    const cap = aLimit('key_cap', 50n, { heldMicros: 30n })
    expect(failureOf({ limits: [cap], sources: [aWallet(99n)], micros: 40n }).message).toMatch(
      /^Requests in progress hold \$0\.00003 of this key's cap, which leaves \$0\.00002\./,
    )
    const pool = aPool('p', 50n, { held: 30n, thenOnDemand: false })
    expect(failureOf({ sources: [pool], micros: 40n }).message).toMatch(/ of your plan's credit, which /)
  })

  it('a rejection that an earlier version stored without data about the plan also has a complete sentence', () => {
    const stored: ErrorDetails = {
      limitSource: 'pool',
      limit: '0',
      available: '0',
      requested: '64',
      resetsAt: null,
    }
    expect(refusalSentence('insufficient_credit', stored)).toBe(
      'Your balance is used up. This request needs up to $0.000064. Add credit, or request fewer tokens.',
    )
    expect(refusalSentence('stream_spend_limit', { limit: '50000' })).toBe(
      'spend_limit_exceeded: the $0.05 held for this response is used up, and no more credit is available. Add credit, or request fewer tokens.',
    )
    for (const code of [
      'insufficient_credit',
      'spend_limit_exceeded',
      'outcome_capped',
      'balance_held',
    ] as const)
      expect(refusalSentence(code, {}), code).not.toMatch(/micros|null|undefined|unknown|NaN|  /)
  })

  it('the sentence contains dollar amounts with all of their digits, and at least two decimals', () => {
    const texts = [0n, 1n, 100n, 10_000n, 150_000n, 1_500_000n, 1_234_567n, -3n].map(dollarsText)
    expect(texts).toEqual(['$0.00', '$0.000001', '$0.0001', '$0.01', '$0.15', '$1.50', '$1.234567', '$0.00'])
  })
})

const rateNumbers = { limit: '100', available: '20', requested: '30' }

it('the sentence names the rate limit, its remaining amount and the time to wait', () => {
  expect(
    refusalSentence('rate_limited', {
      ...rateNumbers,
      measure: 'tokens',
      window: 'hour',
      waitSeconds: 900,
      retryAfterSeconds: 60,
    }),
  ).toBe(
    'Your limit of 100 tokens per hour has 20 tokens left. This request needs 30 tokens. Retry in 900 s.',
  )
  const calls = {
    ...rateNumbers,
    available: '0',
    measure: 'calls',
    window: null,
    models: 'acme/*',
    retryAfterSeconds: 1,
  }
  expect(refusalSentence('rate_limited', calls)).toContain(
    'Your limit of 100 requests in progress for acme/* is reached.',
  )
})

it('the sentence writes charges as dollar amounts, and states no waiting time if waiting does not help', () => {
  expect(
    refusalSentence('spend_limit_exceeded', { ...rateNumbers, measure: 'micros', window: 'total' }),
  ).toBe('Your limit of $0.0001 in total has $0.00002 left. This request needs $0.00003.')
})

it('if the server itself limits the rate of requests, the sentence states only when to retry', () => {
  expect(refusalSentence('rate_limited', { retryAfterSeconds: 5 })).toBe('Too many requests. Retry in 5 s.')
  expect(refusalSentence('rate_limited', {})).toBe('Too many requests. Retry later.')
})
