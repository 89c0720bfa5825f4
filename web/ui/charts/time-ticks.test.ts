import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { chooseZone } from '#web/ui/time-zone.ts'
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

describe('the ticks of a time axis in a zone whose clocks change', () => {
  afterEach(() => {
    chooseZone('utc')
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
  })
  function inBerlin(): void {
    vi.stubEnv('TZ', 'Europe/Berlin')
    vi.stubGlobal('localStorage', { setItem() {}, removeItem() {} })
    chooseZone('local')
  }

  it('a tick of a day is at midnight before and after the change', () => {
    inBerlin()
    for (const [from, labels] of [
      ['2026-10-22T22:00Z', ['23 Oct', '24 Oct', '25 Oct', '26 Oct', '27 Oct', '28 Oct']],
      ['2026-03-26T23:00Z', ['27 Mar', '28 Mar', '29 Mar', '30 Mar', '31 Mar', '1 Apr']],
    ] as const) {
      const fromMs = Date.parse(from)
      const ticks = timeTicks({ fromMs, toMs: fromMs + 5 * dayMs + hourMs, stepMs: hourMs, countMax: 7 })
      expect(ticks.map(({ label }) => label)).toEqual(labels)
      expect(ticks.every(({ atMs }) => new Date(atMs).getHours() === 0)).toBe(true)
    }
  })

  it('ticks within a day follow the clock on a day with 25 hours and on a day with 23 hours', () => {
    inBerlin()
    for (const [from, hours] of [
      ['2026-10-24T22:00Z', 25],
      ['2026-03-28T23:00Z', 23],
    ] as const) {
      const fromMs = Date.parse(from)
      const ticks = timeTicks({ fromMs, toMs: fromMs + hours * hourMs, stepMs: hourMs, countMax: 5 })
      expect(ticks.map(({ label }) => label).slice(1, 4)).toEqual(['06:00', '12:00', '18:00'])
      expect(ticks.length).toBe(5)
    }
  })

  it('ticks are sorted, and at most as many as allowed', () => {
    inBerlin()
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
        fc.constantFrom(minuteMs, hourMs, dayMs),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 2, max: 20 }),
        (fromMs, stepMs, count, countMax) => {
          const toMs = fromMs + count * stepMs
          const ticks = timeTicks({ fromMs, toMs, stepMs, countMax })
          expect(ticks.length).toBeLessThanOrEqual(countMax)
          for (const [n, { atMs }] of ticks.entries()) {
            expect(atMs).toBeGreaterThan(ticks[n - 1]?.atMs ?? fromMs - 1)
            expect(atMs).toBeLessThanOrEqual(toMs)
            expect(atMs % stepMs).toBe(0)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
