import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayMs } from '#money/periods-and-windows.ts'
import { paceDays, spendingPace } from './spending-pace.ts'

const nowMs = Date.parse('2026-11-22T15:00:00Z')
const today = Math.floor(nowMs / dayMs)
const at = (chargedMicros: bigint, availableMicros: bigint, days = 7) =>
  spendingPace({ availableMicros, chargedMicros, days, nowMs })

describe('the days from which the spending pace is computed', () => {
  it('the pace covers the last seven days, or fewer days if the first usage was less than seven days ago', () => {
    const since = (daysAgo: number): number => paceDays(nowMs, today - daysAgo)
    expect([0, 1, 5, 6, 7, 400].map(since)).toEqual([1, 2, 6, 7, 7, 7])
    expect(paceDays(nowMs, null)).toBe(1)
  })

  it('the pace includes today, even if the first usage is in the future because the clock was set back', () => {
    expect(paceDays(nowMs, today + 1)).toBe(1)
  })
})

describe('the spending pace', () => {
  it('the pace is the average charge per day, rounded up; the time that the credit lasts is in whole days', () => {
    expect(at(7_000_001n, 10_000_000n)).toEqual({
      from: Date.parse('2026-11-16'),
      to: nowMs,
      days: 7,
      chargedMicros: 7_000_001n,
      perDayMicros: 1_000_001n,
      availableMicros: 10_000_000n,
      lastsDays: 9,
    })
    expect(at(10n, 35n, 1)).toMatchObject({ perDayMicros: 10n, lastsDays: 3, from: Date.parse('2026-11-22') })
    expect(at(10n, 9n, 1).lastsDays).toBe(0)
  })

  it('the pace does not state how long the credit lasts if nothing was charged or no credit is available', () => {
    expect(at(0n, 5n)).toMatchObject({ perDayMicros: 0n, lastsDays: null })
    expect(at(10n, 0n)).toMatchObject({ perDayMicros: 2n, lastsDays: null })
  })

  it('the pace states that the credit lasts at most a hundred years', () => {
    expect(at(1n, 10n ** 15n, 1).lastsDays).toBe(36_525)
    expect(at(1n, 36_525n, 1).lastsDays).toBe(36_525)
    expect(at(1n, 36_524n, 1).lastsDays).toBe(36_524)
  })

  it('the pace states for how many whole days the credit lasts if charges stay the same', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 15n })
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 1, max: 7 }), (charged, available, days) => {
        const { lastsDays } = at(charged, available, days)
        const spent = (over: number): bigint => charged * BigInt(over)
        expect(lastsDays).not.toBeNull()
        expect(spent(lastsDays ?? 0) <= available * BigInt(days)).toBe(true)
        expect(lastsDays === 36_525 || spent((lastsDays ?? 0) + 1) > available * BigInt(days)).toBe(true)
      }),
    )
  })
})
