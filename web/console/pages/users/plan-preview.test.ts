import { expect, test } from 'vitest'
import type { Bundle } from '#sdk/generated/types.ts'
import { previewOf } from './plan-preview.ts'

const bundle = (more: Partial<Bundle> = {}): Bundle => ({
  slug: 'pro',
  displayName: 'Pro',
  priceMicros: '20000000',
  interval: 'month',
  spendLimitMicros: null,
  spendLimitPeriod: 'month',
  terminationPolicy: 'hard_token',
  maxOverdraftMicros: '0',
  debitBasis: 'provider_cost',
  creditCurrency: null,
  onClientLeft: null,
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

test('what is left of pools is taken off, and what the new plan includes is told', () => {
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
    rollover: null,
  }
  expect(previewOf(bundle({ includes: [include] }), { ...plan, pools }, 'free').slice(0, 3)).toEqual([
    '$0.0003 left of Tokens is taken off, and returns with the plan.',
    '2 credits of Sparks each period, less what other plans have paid in this one.',
    'It has no spend limit.',
  ])
})

test('a dearer plan is invoiced now, and one that is not from the end of what was invoiced', () => {
  const about = (...args: Parameters<typeof previewOf>) =>
    previewOf(...args).find((line) => line.includes('costs') || line.includes('invoiced'))
  expect(about(bundle(), plan, 'free')).toContain(
    'comes now, for the days that are left of the period, less the',
  )
  expect(about(bundle(), { ...plan, priceMicros: '20000000' }, 'free')).toBe(
    'It costs $20.00 a month, from the end of what was invoiced already.',
  )
  expect(about(bundle(), undefined, null)).toBe(
    'It costs $20.00 a month: an invoice comes now, for the days that are left of the period.',
  )
  expect(about(bundle({ interval: 'year' }), plan, 'free')).toContain('a plan that costs less a day')
  expect(about(bundle({ priceMicros: null }), plan, 'free')).toBe('Nothing is invoiced.')
})

test('the same plan at the same price changes nothing but a cancellation', () => {
  const same = { ...plan, priceMicros: '20000000' }
  expect(previewOf(bundle(), same, 'pro')).toEqual(['They are on it at this price already: nothing changes.'])
  expect(previewOf(bundle(), { ...same, endsAt: '2026-12-01T00:00:00Z' }, 'pro')).toHaveLength(2)
  expect(previewOf(bundle(), plan, 'pro')[0]).toContain('from now on it costs $20.00 a month')
})
