import { describe, expect, it } from 'vitest'
import { countText, daysText, durationText, percentText, shortCountText, whenText } from './number-text.ts'

const thin = '\u2009'

describe('numbers as text', () => {
  it('a number of days is formatted in words', () => {
    expect([0, 1, 9, 365, 366].map(daysText)).toEqual([
      'less than a day',
      'about 1 day',
      'about 9 days',
      'about 365 days',
      'more than a year',
    ])
  })

  it.each([
    [0, '0', '0'],
    [999, '999', '999'],
    [1234, `1${thin}234`, `1${thin}234`],
    [12_345, `12${thin}345`, `12.3${thin}k`],
    [1_234_567, `1${thin}234${thin}567`, `1.23${thin}M`],
    [4_000_000_000, `4${thin}000${thin}000${thin}000`, `4${thin}B`],
  ])('the number %s is formatted as %j, and in short form as %j', (count, whole, short) => {
    expect([countText(count), shortCountText(count)]).toEqual([whole, short])
  })

  it.each([
    [0.4, '0 ms'],
    [340, '340 ms'],
    [1400, '1.4 s'],
    [59_400, '59 s'],
    [125_000, '2 min 5 s'],
    [7_380_000, '2 h 3 min'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [59_499, '59 s'],
    [59_999, '1 min 0 s'],
    [3_599_400, '59 min 59 s'],
    [3_599_999, '1 h 0 min'],
  ])('a duration of %s ms is formatted as %j', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })

  it('a percentage is shown with one decimal', () => {
    expect(percentText(0.1234)).toBe(`12.3${thin}%`)
  })

  it.each([
    [0, 'just now'],
    [5 * 60_000, '5 min ago'],
    [-3 * 3_600_000, 'in 3 h'],
    [-10_000, 'in a moment'],
  ])('a time %s ms before now is formatted as %j', (agoMs, text) => {
    const now = Date.UTC(2026, 10, 22, 12)
    expect(whenText(new Date(now - agoMs).toISOString(), now)).toBe(text)
  })
})
