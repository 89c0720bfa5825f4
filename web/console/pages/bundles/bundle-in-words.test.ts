import { describe, expect, it } from 'vitest'
import type { BundleInclude } from '#sdk/generated/types.ts'
import {
  amountWords,
  creditText,
  limitWords,
  policyWords,
  priceWords,
  reached,
  spillWords,
} from './bundle-in-words.ts'

describe('the description of a bundle', () => {
  it('money and credits are formatted with all their digits', () => {
    expect(priceWords({ priceMicros: '19990000', interval: 'month' })).toBe('$19.99 per month')
    expect(priceWords({ priceMicros: null, interval: 'year' })).toBe(null)
    expect(amountWords({ amount: '277', unit: 'micros' }, null)).toBe('$0.000277')
    expect(amountWords({ amount: '250000000', unit: 'credits' }, 'sparks')).toBe('250 sparks')
    expect(creditText('1234500001')).toBe('1,234.500001')
    expect(limitWords({ spendLimitMicros: '5000000', spendLimitPeriod: 'total' })).toBe('$5.00 in total')
  })

  it('the description of a bundle says what pays after a pool is used up', () => {
    const include = { spilloverTo: '*', thenOnDemand: true } as BundleInclude
    expect(spillWords(include)).toBe('the next pool, then the wallet and on-demand billing')
    expect(spillWords({ ...include, spilloverTo: null, thenOnDemand: false })).toBe('requests are rejected')
    expect(spillWords({ ...include, spilloverTo: 'extra', thenOnDemand: false })).toBe(
      'the pool extra, then requests are rejected',
    )
  })

  it('the description of a bundle includes the amount of grace', () => {
    expect(policyWords({ terminationPolicy: 'grace', maxOverdraftMicros: '5000' })).toContain('$0.005')
  })

  it('a name matches if a pattern allows it and no pattern denies it', () => {
    const names = ['a/fast', 'a/slow', 'b']
    expect(reached(names, { allow: ['a/*'], deny: ['a/slow'] })).toEqual(['a/fast'])
    expect(reached(names, { allow: [], deny: [] })).toEqual([])
  })
})
