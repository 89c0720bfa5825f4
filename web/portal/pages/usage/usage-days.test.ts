import { describe, expect, it } from 'vitest'
import { byDay, daysOf, ofName } from './usage-days.ts'

const none = { from: null, to: null }

describe('the days of the usage page', () => {
  it('a named range has the number of days in its name, up to and including today', () => {
    expect(daysOf('7d', none, '2026-12-01')).toEqual({ from: '2026-11-24', to: '2026-12-01' })
    expect(daysOf('30d', none, '2026-12-01')).toEqual({ from: '2026-11-01', to: '2026-12-01' })
    expect(daysOf('year', none, '2026-12-01')).toEqual({ from: '2025-12-01', to: '2026-12-01' })
  })

  it('a range covers calendar months, even if today is the first or the last day of a month', () => {
    // Today is 30 November.
    expect(daysOf('month', none, '2026-12-01')).toEqual({ from: '2026-11-01', to: '2026-12-01' })
    expect(daysOf('before', none, '2026-12-01')).toEqual({ from: '2026-10-01', to: '2026-11-01' })
    expect(daysOf('month', none, '2027-01-02')).toEqual({ from: '2027-01-01', to: '2027-01-02' })
    expect(daysOf('before', none, '2027-01-02')).toEqual({ from: '2026-12-01', to: '2027-01-01' })
  })

  it('a range in the URL is used if its days are valid; otherwise, the range is the last thirty days', () => {
    const custom = (from: string | null, to: string | null) => daysOf('custom', { from, to }, '2026-12-01')
    expect(custom('2026-11-03', '2026-11-05')).toEqual({ from: '2026-11-03', to: '2026-11-05' })
    for (const [from, to] of [
      ['2026-11-05', '2026-11-05'],
      ['2026-11-05', '2026-11-03'],
      ['2020-01-01', '2026-11-03'],
      ['yesterday', '2026-11-03'],
      ['2026-13-01', '2026-13-02'],
      [null, null],
    ] as const) {
      expect(custom(from, to)).toEqual({ from: '2026-11-01', to: '2026-12-01' })
    }
    expect(daysOf('what', none, '2026-12-01').from).toBe('2026-11-01')
  })
})

it('the usage of the models, and of the days, adds up exactly to the total', () => {
  const used = (date: string, requestedModel: string, billedMicros: string) => ({
    date,
    requestedModel,
    billedMicros,
    calls: 1,
    inputTokens: 2,
    outputTokens: 3,
  })
  const days = [
    used('2026-11-02', 'a', '9007199254740993'),
    used('2026-11-02', 'b', '1'),
    used('2026-11-01', 'a', '2'),
  ]
  const usage = { from: '2026-11-01', to: '2026-11-03', rows: [], days, totals: used('', '', '0') }
  expect(ofName(usage, null)).toBe(usage)
  expect(ofName(usage, 'a').totals).toEqual({
    calls: 2,
    inputTokens: 4,
    outputTokens: 6,
    billedMicros: '9007199254740995',
  })
  expect(byDay(days)).toEqual([
    { date: '2026-11-02', calls: 2, inputTokens: 4, outputTokens: 6, billedMicros: '9007199254740994' },
    { date: '2026-11-01', calls: 1, inputTokens: 2, outputTokens: 3, billedMicros: '2' },
  ])
})
