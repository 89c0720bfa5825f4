import { describe, expect, it } from 'vitest'
import type { BundleInclude } from '#sdk/generated/types.ts'
import { amountWords, creditText, limitWords, policyWords, priceWords, reached, spillWords } from './words.ts'

describe('a bundle in words', () => {
  it('writes money and credits with every digit that they have', () => {
    expect(priceWords({ priceMicros: '19990000', interval: 'month' })).toBe('$19.99 a month')
    expect(priceWords({ priceMicros: null, interval: 'year' })).toBe(null)
    expect(amountWords({ amount: '277', unit: 'micros' }, null)).toBe('$0.000277')
    expect(amountWords({ amount: '250000000', unit: 'credits' }, 'sparks')).toBe('250 sparks')
    expect(creditText('1234500001')).toBe('1,234.500001')
    expect(limitWords({ spendLimitMicros: '5000000', spendLimitPeriod: 'total' })).toBe('$5.00 in all')
  })

  it('says what pays once a pool is spent', () => {
    const include = { spilloverTo: '*', thenOnDemand: true } as BundleInclude
    expect(spillWords(include)).toBe('whichever pool comes next, then the wallet and on-demand')
    expect(spillWords({ ...include, spilloverTo: null, thenOnDemand: false })).toBe(
      'nothing: calls are refused',
    )
    expect(spillWords({ ...include, spilloverTo: 'extra', thenOnDemand: false })).toBe(
      'the pool extra, then calls are refused',
    )
  })

  it('names the amount of grace', () => {
    expect(policyWords({ terminationPolicy: 'grace', maxOverdraftMicros: '5000' })).toContain('$0.005')
  })

  it('reaches what is allowed and not denied', () => {
    const names = ['a/fast', 'a/slow', 'b']
    expect(reached(names, { allow: ['a/*'], deny: ['a/slow'] })).toEqual(['a/fast'])
    expect(reached(names, { allow: [], deny: [] })).toEqual([])
  })
})
