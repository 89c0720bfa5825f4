import { magnitude, plus, sum, type ChartSeries, type ChartValue } from './chart-data.ts'

/**
 * Returns at most `countMax` of the largest series, and all other series as one series named `Other`. At each time, the
 * sum of the returned series equals the sum of `series`. If there are at most `countMax` series, the series are
 * returned unchanged. A series that is already a sum of other series is never among the largest.
 */
export function topSeries<V extends ChartValue>(
  series: readonly ChartSeries<V>[],
  countMax: number,
): readonly ChartSeries<V>[] {
  const single = series.filter(({ isOther }) => isOther !== true)
  if (single.length <= countMax) return series
  const sized = single.map((one) => ({ one, size: sizeOf(one) }))
  // If sizes are equal, sort by key, so that every load shows the same series.
  sized.sort((a, b) => (a.size === b.size ? compare(a.one.key, b.one.key) : a.size < b.size ? 1 : -1))
  const ordered = sized.map(({ one }) => one)
  const others = series.filter(({ isOther }) => isOther === true)
  const rest = [...ordered.slice(countMax), ...others]
  const length = Math.max(...rest.map(({ values }) => values.length))
  return [
    ...ordered.slice(0, countMax),
    {
      key: 'other',
      // If the server has already summed some series as Other, the number of series in Other is not known.
      name: others.length === 0 ? `Other (${rest.length})` : 'Other',
      isOther: true,
      values: Array.from({ length }, (_, n) => sum(rest.map(({ values }) => values[n]))),
    },
  ]
}

/**
 * Returns the sum of the absolute values, so that a large refund counts as much as a large charge. A series without
 * values counts as the smallest series.
 */
function sizeOf<V extends ChartValue>({ values }: ChartSeries<V>): ChartValue {
  let size: V | null = null
  for (const value of values) {
    if (value !== null) size = size === null ? magnitude(value) : plus(size, magnitude(value))
  }
  return size ?? -1
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
