import { describe, expect, it } from 'vitest'
import { deltaText, sum } from './chart-data.ts'

describe('the sum of chart values', () => {
  it('a sum is exact even beyond the precision of floats, and null if there are no values', () => {
    expect(sum([9_007_199_254_740_993n, null, 1n])).toBe(9_007_199_254_740_994n)
    expect(sum([null, undefined])).toBeNull()
    expect(sum([0, null])).toBe(0)
  })
})

describe('the text of a change', () => {
  it('the text of a change is the difference with its sign', () => {
    expect(deltaText(5n, 3n, String)).toBe('+2')
    expect(deltaText(3, 5, String)).toBe('\u22122')
    expect(deltaText(3n, 3n, String)).toBe('no change')
  })
})
