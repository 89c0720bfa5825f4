import { describe, expect, it } from 'vitest'
import { deltaText, sum } from './chart-data.ts'

describe('sum', () => {
  it('a sum is exact beyond float precision, and null without values', () => {
    expect(sum([9_007_199_254_740_993n, null, 1n])).toBe(9_007_199_254_740_994n)
    expect(sum([null, undefined])).toBeNull()
    expect(sum([0, null])).toBe(0)
  })
})

describe('deltaText', () => {
  it('the text of a change is the difference with its sign', () => {
    expect(deltaText(5n, 3n, String)).toBe('+2')
    expect(deltaText(3, 5, String)).toBe('\u22122')
    expect(deltaText(3n, 3n, String)).toBe('no change')
  })
})
