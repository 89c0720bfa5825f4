import { expect, it } from 'vitest'
import { isPlausible, plainOutput, totalInput, UNITS_MAX, ZERO_USAGE, type Usage } from './usage.ts'

const COUNTS = [
  'input',
  'cacheRead',
  'cacheWrite',
  'cacheWriteLong',
  'audioInput',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
  'imageOutput',
  'webSearches',
] as const satisfies readonly (keyof Usage)[]

it('the input counts are disjoint and add up', () => {
  const usage = { ...ZERO_USAGE, input: 1, cacheRead: 2, cacheWrite: 4, cacheWriteLong: 8, audioInput: 16 }
  expect(totalInput({ ...usage, imageInput: 32, output: 64 })).toBe(63)
})

it('what is counted within other input is not counted again', () => {
  const usage = { ...ZERO_USAGE, input: 1, cacheRead: 2, cacheWrite: 4, audioInput: 3, imageInput: 2 }
  expect(totalInput({ ...usage, isMediaWithin: true })).toBe(7)
})

it('plain output is what is of no other kind', () => {
  expect(plainOutput({ ...ZERO_USAGE, output: 10, reasoning: 5, audioOutput: 3, imageOutput: 1 })).toBe(1)
})

it('an explicit zero is plausible: it is honoured, not estimated', () => {
  expect(isPlausible(ZERO_USAGE)).toBe(true)
})

it.each(COUNTS)('%s is a whole count from 0 to the maximum', (count) => {
  // The kinds of output need as much output to be part of.
  const usage = { ...ZERO_USAGE, output: UNITS_MAX }
  expect(isPlausible({ ...usage, [count]: UNITS_MAX })).toBe(true)
  for (const absurd of [UNITS_MAX + 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    expect(isPlausible({ ...usage, [count]: absurd })).toBe(false)
  }
})

it('kinds of output that add up to more than the output are not believed', () => {
  const usage = { ...ZERO_USAGE, output: 10, reasoning: 4, audioOutput: 3, imageOutput: 3 }
  expect(isPlausible(usage)).toBe(true)
  expect(isPlausible({ ...usage, reasoning: 5 })).toBe(false)
})
