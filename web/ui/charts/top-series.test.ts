import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChartSeries } from './chart-data.ts'
import { topSeries } from './top-series.ts'

const someSeries = fc.nat(30).chain((length) =>
  fc
    .array(
      fc.array(fc.option(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })), {
        minLength: length,
        maxLength: length,
      }),
      { maxLength: 20 },
    )
    .map((rows) =>
      rows.map((values, n): ChartSeries<bigint> => ({ key: `k${n}`, name: `Name ${n}`, values })),
    ),
)

const totals = (series: readonly ChartSeries<bigint>[], length: number): readonly (bigint | null)[] =>
  Array.from({ length }, (_, n) =>
    series.reduce<bigint | null>((sum, { values }) => {
      const value = values[n] ?? null
      return value === null ? sum : (sum ?? 0n) + value
    }, null),
  )

describe('the largest series', () => {
  it('the sum of all series at each time is exact, and is null at times without values', () => {
    fc.assert(
      fc.property(someSeries, fc.integer({ min: 1, max: 9 }), (series, countMax) => {
        const shown = topSeries(series, countMax)
        const length = series[0]?.values.length ?? 0
        expect(totals(shown, length)).toEqual(totals(series, length))
        expect(shown.length).toBe(Math.min(series.length, countMax + 1))
        expect(shown.filter(({ isOther }) => isOther).length).toBe(series.length > countMax ? 1 : 0)
      }),
      { numRuns: 1000 },
    )
  })

  it('the largest series are shown, whatever the order of the series is', () => {
    fc.assert(
      fc.property(someSeries, fc.nat(), (series, turn) => {
        const size = ({ values }: ChartSeries<bigint>): bigint =>
          values.reduce<bigint>((sum, value) => sum + (value === null ? 0n : value < 0n ? -value : value), 0n)
        const shown = topSeries(series, 7)
        const keys = new Set(shown.map(({ key }) => key))
        if (series.length <= 7) return
        const smallest = shown.filter(({ isOther }) => !isOther).reduce((a, b) => (size(b) < size(a) ? b : a))
        for (const one of series)
          if (!keys.has(one.key)) expect(size(one)).toBeLessThanOrEqual(size(smallest))
        const at = turn % series.length
        expect(topSeries([...series.slice(at), ...series.slice(0, at)], 7)).toEqual(shown)
      }),
      { numRuns: 500 },
    )
  })

  it('if all series can be shown, the series keep their order', () => {
    const series = [1n, 3n, 2n].map((value, n): ChartSeries<bigint> => ({
      key: `${n}`,
      name: '',
      values: [value],
    }))
    expect(topSeries(series, 3)).toBe(series)
    expect(topSeries(series, 2).map(({ name, values }) => [name, ...values])).toEqual([
      ['', 3n],
      ['', 2n],
      ['Other (1)', 1n],
    ])
  })
})

it('an existing series Other is never among the largest', () => {
  const one = (key: string, value: bigint, isOther = false): ChartSeries<bigint> => ({
    key,
    name: key,
    values: [value],
    isOther,
  })
  const few = [one('a', 1n), one('b', 2n), one('rest', 9n, true)]
  expect(topSeries(few, 2)).toEqual(few)
  const [first, rest] = topSeries(few, 1)
  expect(first?.key).toBe('b')
  expect(rest).toMatchObject({ name: 'Other', isOther: true, values: [10n] })
})
