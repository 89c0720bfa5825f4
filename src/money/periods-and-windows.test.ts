import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { boundary, calendarWindow, periodAt, type Interval } from './periods-and-windows.ts'

const at = (text: string): number => Date.parse(text)
const text = (ms: number): string => new Date(ms).toISOString()

describe('boundary', () => {
  it.each<[string, Interval, number, string]>([
    ['2026-01-31T10:20:30.456Z', 'month', 0, '2026-01-31T10:20:30.456Z'],
    ['2026-01-31T10:20:30.456Z', 'month', 1, '2026-02-28T10:20:30.456Z'],
    ['2026-01-31T10:20:30.456Z', 'month', 2, '2026-03-31T10:20:30.456Z'],
    ['2026-01-31T10:20:30.456Z', 'month', 3, '2026-04-30T10:20:30.456Z'],
    ['2024-01-31T00:00:00.000Z', 'month', 1, '2024-02-29T00:00:00.000Z'],
    ['2026-11-15T00:00:00.000Z', 'month', 2, '2027-01-15T00:00:00.000Z'],
    ['2026-11-15T00:00:00.000Z', 'month', -11, '2025-12-15T00:00:00.000Z'],
    ['2024-02-29T23:59:59.999Z', 'year', 1, '2025-02-28T23:59:59.999Z'],
    ['2024-02-29T23:59:59.999Z', 'year', 4, '2028-02-29T23:59:59.999Z'],
    ['2096-02-29T00:00:00.000Z', 'year', 4, '2100-02-28T00:00:00.000Z'],
  ])(
    'from the anchor %s in steps of one %s, boundary %s is %s, on the last day if the month is shorter',
    (anchor, interval, n, expected) => {
      expect(text(boundary(at(anchor), interval, n))).toBe(expected)
    },
  )

  it('boundary throws for an invalid anchor, a fractional number of intervals, or a result after the year 9999', () => {
    for (const anchorMs of [-1, 0.5, Number.NaN, 253_402_300_800_000]) {
      expect(() => boundary(anchorMs, 'month', 0)).toThrow(MoneyBroken)
    }
    expect(() => boundary(0, 'month', 0.5)).toThrow(MoneyBroken)
    expect(() => boundary(0, 'year', 10 ** 9)).toThrow(MoneyBroken)
  })
})

describe('periodAt', () => {
  it('a boundary between periods belongs to the period that it starts', () => {
    const anchorMs = at('2026-01-31T12:00:00Z')
    const second = boundary(anchorMs, 'month', 1)
    expect(periodAt(anchorMs, 'month', second - 1).index).toBe(0)
    expect(periodAt(anchorMs, 'month', second)).toEqual({
      index: 1,
      startsAtMs: second,
      endsAtMs: boundary(anchorMs, 'month', 2),
    })
  })

  it('periods before the anchor have negative indexes', () => {
    expect(periodAt(at('2026-01-31T12:00:00Z'), 'month', at('2026-01-31T11:59:59Z')).index).toBe(-1)
  })

  it('every instant is in exactly one period, and each period ends where the next one starts', () => {
    // Anchors are from 1972 or later, so that the period before an anchor does not start before 1970.
    const instant = fc.integer({ min: at('1972-01-01'), max: at('2200-01-01') })
    fc.assert(
      fc.property(
        instant,
        fc.constantFrom<Interval>('month', 'year'),
        instant,
        (anchorMs, interval, nowMs) => {
          const period = periodAt(anchorMs, interval, nowMs)
          expect(period.startsAtMs).toBeLessThanOrEqual(nowMs)
          expect(period.endsAtMs).toBeGreaterThan(nowMs)
          expect(period.startsAtMs).toBe(boundary(anchorMs, interval, period.index))
          expect(periodAt(anchorMs, interval, period.endsAtMs).index).toBe(period.index + 1)
          expect(periodAt(anchorMs, interval, period.endsAtMs).startsAtMs).toBe(period.endsAtMs)
          expect(periodAt(anchorMs, interval, period.startsAtMs)).toEqual(period)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('calendarWindow', () => {
  it.each([
    ['day', '2026-11-20T23:59:59.999Z', '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['day', '2026-11-21T00:00:00.000Z', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    ['week', '2026-11-20T12:00:00.000Z', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['week', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['week', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['month', '2024-02-29T00:00:00.000Z', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
  ] as const)('the calendar window %s at %s lasts from %s to %s', (window, now, from, to) => {
    expect(calendarWindow(window, at(now))).toEqual({ startsAtMs: at(from), endsAtMs: at(to) })
  })

  it('the window `total` never ends', () => {
    expect(calendarWindow('total', at('2026-11-20'))).toEqual({ startsAtMs: 0, endsAtMs: null })
  })

  it('the week that contains the start of 1970 began in 1969', () => {
    expect(text(calendarWindow('week', 0).startsAtMs)).toBe('1969-12-29T00:00:00.000Z')
  })

  it('calendarWindow throws for an invalid time', () => {
    expect(() => calendarWindow('day', -1)).toThrow(MoneyBroken)
  })
})
