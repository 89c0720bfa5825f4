import { expect, it } from 'vitest'
import { percentOf } from './percent-with-two-decimals.ts'

it.each([
  [1n, 3n, '33.33'],
  [2n, 3n, '66.67'],
  [-2n, 3n, '-66.67'],
  [1n, 20_000n, '0.01'],
  [1n, 20_001n, '0.00'],
  [-1n, 20_001n, '0.00'],
  [-1n, 20_000n, '-0.01'],
  [-50n, 10n, '-500.00'],
  [7n, 7n, '100.00'],
  [0n, 7n, '0.00'],
  [1n, 0n, null],
  [10n ** 15n + 1n, 10n ** 15n, '100.00'],
])('the amount %s as a percentage of the amount %s is %s', (part, whole, expected) => {
  expect(percentOf(part, whole)).toBe(expected)
})
