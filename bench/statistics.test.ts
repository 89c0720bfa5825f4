import { expect, test } from 'vitest'
import { percentile, spread } from './statistics.ts'

test('a percentile by nearest rank is always one of the values', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect(percentile(hundred, 50)).toBe(50)
  expect(percentile(hundred, 99)).toBe(99)
  expect(percentile([7], 99)).toBe(7)
})

test('without data, the result of a statistic is NaN, so that it cannot be mistaken for a measurement', () => {
  expect(percentile([], 50)).toBeNaN()
  expect(percentile([], 50) <= 1.5).toBe(false)
})

test('a spread contains the median, the minimum and the maximum of the rounds', () => {
  expect(spread([3, 1, 2.00049])).toEqual({ median: 2, min: 1, max: 3 })
})
