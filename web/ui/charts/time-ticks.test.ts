import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { minuteMs } from './time-text.ts'
import { timeTicks } from './time-ticks.ts'

describe('the ticks of a time axis', () => {
  it('ticks are sorted, within the axis, at most as many as allowed, and only where buckets begin in UTC', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1999, 0), max: Date.UTC(2100, 0) }),
        fc.constantFrom(minuteMs, 5 * minuteMs, hourMs, dayMs),
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 2, max: 20 }),
        (fromMs, stepMs, count, countMax) => {
          const toMs = fromMs + count * stepMs
          const ticks = timeTicks({ fromMs, toMs, stepMs, countMax })
          expect(ticks.length).toBeLessThanOrEqual(countMax)
          for (const [n, { atMs, label }] of ticks.entries()) {
            expect(atMs).toBeGreaterThanOrEqual(fromMs)
            expect(atMs).toBeLessThanOrEqual(toMs)
            expect(atMs % stepMs).toBe(0)
            const before = ticks[n - 1]
            if (!before) continue
            expect(atMs - before.atMs).toBeGreaterThanOrEqual(stepMs)
            // Neighboring ticks repeat a label only if they are at the same hour of different days.
            if (label === before.label) expect(atMs - before.atMs).toBeGreaterThanOrEqual(dayMs)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('a tick at midnight shows the day, and a tick in January shows the year', () => {
    const from = Date.UTC(2026, 10, 3)
    expect(timeTicks({ fromMs: from, toMs: from + dayMs, stepMs: hourMs, countMax: 5 })).toEqual([
      { atMs: from, label: '3 Nov' },
      { atMs: from + 6 * hourMs, label: '06:00' },
      { atMs: from + 12 * hourMs, label: '12:00' },
      { atMs: from + 18 * hourMs, label: '18:00' },
      { atMs: from + 24 * hourMs, label: '4 Nov' },
    ])
    const months = timeTicks({ fromMs: from, toMs: Date.UTC(2027, 2, 15), stepMs: dayMs, countMax: 4 })
    expect(months.map(({ label }) => label)).toEqual(['Dec', '2027', 'Feb', 'Mar'])
  })

  it('ticks of weeks are on Mondays', () => {
    const ticks = timeTicks({
      fromMs: Date.UTC(2026, 9, 24),
      toMs: Date.UTC(2026, 10, 22),
      stepMs: dayMs,
      countMax: 5,
    })
    expect(ticks.map(({ label }) => label)).toEqual(['26 Oct', '2 Nov', '9 Nov', '16 Nov'])
    for (const { atMs } of ticks) expect(new Date(atMs).getUTCDay()).toBe(1)
  })
})
