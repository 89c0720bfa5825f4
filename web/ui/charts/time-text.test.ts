import { describe, expect, it } from 'vitest'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { bucketText, rangeText } from './time-text.ts'

const at = Date.UTC(2026, 10, 3)

describe('the text of a time bucket', () => {
  it('an hour, a day, a week and a month each have their own format', () => {
    expect(bucketText(at + 14 * hourMs, hourMs)).toBe('3 Nov, 14:00 UTC')
    expect(bucketText(at + 5000, 1000)).toBe('3 Nov, 00:00:05 UTC')
    expect(bucketText(at, dayMs)).toBe('Tue 3 Nov')
    expect(bucketText(at, 7 * dayMs)).toBe('3 \u2013 9 Nov')
    expect(bucketText(Date.UTC(2026, 10, 1), 30 * dayMs)).toBe('Nov 2026')
  })
})

describe('the text of a time range', () => {
  it('the text of a range includes the last day of the range, and ends at the final hour', () => {
    expect(rangeText(at, at + dayMs, dayMs)).toBe('3 Nov')
    expect(rangeText(at, at + 7 * dayMs, dayMs)).toBe('3 \u2013 9 Nov')
    expect(rangeText(Date.UTC(2026, 9, 24), at, dayMs)).toBe('24 Oct \u2013 2 Nov')
    expect(rangeText(at, Date.UTC(2027, 10, 9), dayMs)).toBe('3 Nov 2026 \u2013 8 Nov 2027')
    expect(rangeText(at + 14 * hourMs, at + 18 * hourMs, hourMs)).toBe('3 Nov, 14:00 \u2013 18:00 UTC')
    expect(rangeText(at + 14 * hourMs, at + 26 * hourMs, hourMs)).toBe('3 Nov, 14:00 \u2013 4 Nov, 02:00 UTC')
  })
})
