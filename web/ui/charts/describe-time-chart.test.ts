import { describe, expect, it } from 'vitest'
import { dayMs } from '#money/periods-and-windows.ts'
import type { TimeData } from './chart-data.ts'
import { endOf, spanText, summaryOf, totalOf, twinOf } from './describe-time-chart.ts'

const from = Date.UTC(2026, 10, 3)
const data: TimeData<bigint> = {
  times: [from, from + dayMs],
  stepMs: dayMs,
  series: [
    { key: 'a', name: 'alpha', values: [9_007_199_254_740_993n, 2n] },
    { key: 'b', name: 'beta', values: [null, 3n] },
  ],
}
const format = (value: bigint): string => `${value} micros`

describe('the table of a chart', () => {
  it('the table of a chart contains exact values, a dash for each missing value, and sums if the values are additive', () => {
    expect(twinOf(data, { format, isSummed: true })).toEqual({
      heads: ['Time (UTC)', 'alpha', 'beta', 'Total'],
      rows: [
        ['Tue 3 Nov', '9007199254740993 micros', '–', '9007199254740993 micros'],
        ['Wed 4 Nov', '2 micros', '3 micros', '5 micros'],
      ],
      foot: ['Total', '9007199254740995 micros', '3 micros', '9007199254740998 micros'],
    })
  })

  it('the table contains no sums of values that are not additive, and the total does not include the previous period', () => {
    const previous = { key: 'p', name: 'before', values: [7n, null] }
    expect(twinOf(data, { format, isSummed: false, previous })).toMatchObject({
      heads: ['Time (UTC)', 'alpha', 'beta', 'before'],
      foot: undefined,
    })
    expect(twinOf(data, { format, isSummed: true, previous }).rows[1]).toEqual([
      'Wed 4 Nov',
      '2 micros',
      '3 micros',
      '5 micros',
      '–',
    ])
  })
})

describe('the total of a time range', () => {
  it('the total of a range includes its first and its last bucket', () => {
    expect(totalOf(data.series, [1, 1])).toBe(5n)
    expect(totalOf(data.series, [0, 1])).toBe(9_007_199_254_740_998n)
  })
})

describe('the summary of a chart', () => {
  it('the summary describes the chart, and says if the chart has no data', () => {
    expect(summaryOf(data, { label: 'Spent', format, isSummed: false })).toBe(
      'Spent, 3 \u2013 4 Nov. alpha: from 9007199254740993 micros to 2 micros, lowest 2 micros, highest 9007199254740993 micros. beta: from 3 micros to 3 micros, lowest 3 micros, highest 3 micros.',
    )
    expect(summaryOf({ ...data, series: [] }, { label: 'Spent', format, isSummed: true })).toBe(
      'Spent: no data in this range.',
    )
  })
})

describe('the text of a time range', () => {
  it('the text of a range ends with the end of the last bucket, and takes the length of each month into account', () => {
    const months = [0, 1, 2].map((month) => Date.UTC(2026, month))
    const february = { times: months, stepMs: 30 * dayMs, series: [] }
    expect(endOf(february, 1)).toBe(Date.UTC(2026, 2))
    expect(spanText(february, 0, 1)).toBe('1 Jan \u2013 28 Feb')
    expect(spanText(february, 1, 1)).toBe('Feb 2026')
    expect(spanText({ ...february, times: [] })).toBe('')
  })
})
