import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { daysOfLine, earnedWithin } from './earned-revenue.ts'
import { MoneyBroken } from './amount.ts'
import { dayMs } from './periods-and-windows.ts'

describe('daysOfLine', () => {
  it.each([
    ['a month from noon', 10.5, 40.5, 10, 40],
    ['a month from midnight', 10, 40, 10, 40],
    ['an hour of one day', 10.5, 10.6, 10, 11],
    ['the last minute before midnight', 10.999, 11, 10, 11],
    ['into the next day', 10.9, 11.1, 10, 11],
  ])('%s', (_, from, to, fromDay, toDay) => {
    expect(daysOfLine(from * dayMs, to * dayMs)).toEqual({ fromDay, toDay })
  })
})

describe('earnedWithin', () => {
  const month = { fromDay: 10, toDay: 40 }

  it.each([
    [1_000_000n, 10, 40, 1_000_000n],
    [1_000_000n, 10, 11, 33_333n],
    [1_000_000n, 12, 13, 33_334n],
    [1_000_000n, 0, 10, 0n],
    [1_000_000n, 40, 99, 0n],
    [1_000_000n, 0, 99, 1_000_000n],
    [-1_000_000n, 10, 11, -33_333n],
    [1_000_000n, 20, 20, 0n],
    [1_000_000n, 30, 20, 0n],
  ])(
    'an amount of %s for a month is earned in proportion on the days from %s to %s',
    (amount, fromDay, toDay, expected) => {
      expect(earnedWithin(amount, month, { fromDay, toDay })).toBe(expected)
    },
  )

  it('earnedWithin throws for an invoice line that covers no day', () => {
    expect(() => earnedWithin(1n, { fromDay: 4, toDay: 4 }, month)).toThrow(MoneyBroken)
  })

  it('the amounts of any partition of the days add up to the whole amount, for any sign', () => {
    const day = fc.integer({ min: 0, max: 400 })
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
        day,
        fc.integer({ min: 1, max: 366 }),
        fc.array(day, { maxLength: 20 }),
        (amount, fromDay, length, cuts) => {
          const borders = [-1, ...cuts.toSorted((one, other) => one - other), 1_000]
          const parts = borders.slice(1).map((toDay, at) => ({ fromDay: borders[at] ?? 0, toDay }))
          const span = { fromDay, toDay: fromDay + length }
          const sum = parts.reduce((whole, part) => whole + earnedWithin(amount, span, part), 0n)
          expect(sum).toBe(amount)
        },
      ),
    )
  })
})
