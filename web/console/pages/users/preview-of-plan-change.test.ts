import { expect, test } from 'vitest'
import type { Bundle } from '#sdk/generated/types.ts'
import { previewOf } from './preview-of-plan-change.ts'

const bundle = (more: Partial<Bundle> = {}): Bundle => ({
  slug: 'pro',
  displayName: 'Pro',
  priceMicros: '20000000',
  interval: 'month',
  spendLimitMicros: null,
  spendLimitPeriod: 'month',
  limits: [],
  terminationPolicy: 'hard_token',
  maxOverdraftMicros: '0',
  debitBasis: 'provider_cost',
  creditCurrency: null,
  onClientLeft: null,
  providerTools: null,
  allow: ['*'],
  deny: [],
  prices: [],
  includes: [],
  default: false,
  warnings: [],
  createdAt: '2026-11-01T00:00:00Z',
  ...more,
})
const plan = { endsAt: null, interval: 'month', pools: [], priceMicros: '10000000' }

test('the preview lists the remaining credit that is removed, and the credit that the new plan includes', () => {
  const pool = { granted: '500', consumed: '200', displayName: 'Tokens', unit: 'micros' }
  const pools = [pool, { ...pool, consumed: '500', displayName: 'Spent' }].map((one) => ({
    slug: 'x',
    spilloverTo: null,
    thenOnDemand: true,
    rolledOver: '0',
    aliases: [],
    ...one,
  }))
  const include = {
    slug: 'i',
    displayName: 'Sparks',
    unit: 'credits',
    amount: '2000000',
    price: null,
    thenOnDemand: true,
    recurring: true,
    spilloverTo: null,
    models: null,
    memberCap: null,
    rollover: null,
  }
  expect(previewOf(bundle({ includes: [include] }), { ...plan, pools }, 'free').slice(0, 3)).toEqual([
    'The remaining $0.0003 of Tokens is removed, and restored if the end user returns to the current plan.',
    'The plan includes 2 credits of Sparks per period, minus the amounts that other plans have already paid in this period.',
    'The plan has no spend limit.',
  ])
})

test('a more expensive plan is invoiced now, and any other plan after the invoiced period', () => {
  const about = (...args: Parameters<typeof previewOf>) =>
    previewOf(...args).find((line) => line.includes('costs') || line.includes('invoiced'))
  expect(about(bundle(), plan, 'free')).toContain('issued now for the remaining days of the period, less the')
  expect(about(bundle(), { ...plan, priceMicros: '20000000' }, 'free')).toBe(
    'The plan costs $20.00 per month, starting after the period that is already invoiced.',
  )
  expect(about(bundle(), undefined, null)).toBe(
    'The plan costs $20.00 per month. An invoice is issued now for the remaining days of the period.',
  )
  expect(about(bundle({ interval: 'year' }), plan, 'free')).toContain(
    'costs more per day than the current plan',
  )
  expect(about(bundle({ priceMicros: null }), plan, 'free')).toBe('Nothing is invoiced.')
})

test('a change to the same plan at the same price only undoes a cancellation', () => {
  const same = { ...plan, priceMicros: '20000000' }
  expect(previewOf(bundle(), same, 'pro')).toEqual([
    'The end user is already on this plan at this price. Nothing changes.',
  ])
  expect(previewOf(bundle(), { ...same, endsAt: '2026-12-01T00:00:00Z' }, 'pro')).toHaveLength(2)
  expect(previewOf(bundle(), plan, 'pro')[0]).toContain('From now on, the plan costs $20.00 per month')
})
