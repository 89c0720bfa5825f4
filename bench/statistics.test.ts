import { expect, test } from 'vitest'
import { percentile, spread } from './statistics.ts'

test('percentiles are values that were seen, by nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect(percentile(hundred, 50)).toBe(50)
  expect(percentile(hundred, 99)).toBe(99)
  expect(percentile([7], 99)).toBe(7)
})

test('a figure without data cannot pass for one', () => {
  expect(percentile([], 50)).toBeNaN()
  expect(percentile([], 50) <= 1.5).toBe(false)
})

test('a spread says the middle and how far the rounds were apart', () => {
  expect(spread([3, 1, 2.00049])).toEqual({ median: 2, min: 1, max: 3 })
})
