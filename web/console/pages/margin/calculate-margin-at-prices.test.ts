import { expect, test } from 'vitest'
import { costAt, marginAt, percentAt, tenthsOfText } from './calculate-margin-at-prices.ts'

test('a change of prices is parsed in tenths of a percent', () => {
  expect(tenthsOfText('10')).toBe(100n)
  expect(tenthsOfText('-12.5 %')).toBe(-125n)
  expect(tenthsOfText('\u2212100')).toBe(-1000n)
  for (const text of ['', 'ten', '-100.1', '1000.1', '1.25']) expect(tenthsOfText(text)).toBeNull()
})

test('a cost is rounded up to a micro, and is exact beyond the precision of a float', () => {
  expect(costAt('1', 100n)).toBe(2n)
  expect(costAt('10', 100n)).toBe(11n)
  expect(costAt('9007199254740993', 1000n)).toBe(18014398509481986n)
  expect(costAt('5', -1000n)).toBe(0n)
  // Corrections of earlier requests can exceed the cost of a range.
  expect(costAt('-5', 100n)).toBe(-5n)
})

test('a margin is revenue minus the cost at the other price', () => {
  expect(marginAt({ revenueMicros: '150', costMicros: '100' }, 100n)).toBe(40n)
  expect(marginAt({ revenueMicros: '100', costMicros: '100' }, 100n)).toBe(-10n)
})

test('percentages are rounded like in the API', () => {
  expect(percentAt(1n, 3n)).toBe('33.33')
  expect(percentAt(-1n, 3n)).toBe('-33.33')
  expect(percentAt(5n, 100_000n)).toBe('0.01')
  expect(percentAt(1n, 0n)).toBeNull()
  expect(percentAt(1n, -3n)).toBeNull()
})
