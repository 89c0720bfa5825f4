import { expect, test } from 'vitest'
import { bucketsOf, changeOf, partOf, valuesOf } from './chart-usage-series.ts'

test('a bucket without requests has the empty value', () => {
  const buckets = bucketsOf({
    bucket: 'hour',
    from: '2026-11-20T10:00:00.000Z',
    to: '2026-11-20T13:00:00.000Z',
  })
  const points = [{ at: '2026-11-20T11:00:00.000Z', calls: 3 }]
  expect(buckets.times.map((ms) => new Date(ms).getUTCHours())).toEqual([10, 11, 12])
  expect(valuesOf(buckets, points, { of: ({ calls }) => calls, nothing: 0 })).toEqual([0, 3, 0])
})

test('fractions are exact to a millionth, and null if the total is 0', () => {
  expect(partOf(1n, 3n)).toBe(0.333333)
  expect(partOf(-5n, 10n)).toBe(-0.5)
  expect(partOf(5n, 0n)).toBeNull()
  expect(partOf(-110n, -100n)).toBeNull()
})

test('a change is relative to the previous value', () => {
  expect(changeOf(150n, 100n)).toBe(0.5)
  expect(changeOf(-50n, -100n)).toBe(0.5)
  expect(changeOf(3, 4)).toBe(-0.25)
  expect(changeOf(3, 0)).toBeNull()
})
