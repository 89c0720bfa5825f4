import { magnitude, plus, sum, type ChartSeries, type ChartValue } from './chart-data.ts'

/**
 * Keeps the largest series, and joins all others as `Other`. At each time, the sum of the returned series equals the
 * sum of `series`. A series that is already a sum is never among the largest.
 */
export function topSeries<V extends ChartValue>(
  series: readonly ChartSeries<V>[],
  countMax: number,
): readonly ChartSeries<V>[] {
  const single = series.filter(({ isOther }) => isOther !== true)
  if (single.length <= countMax) return series
  const sized = single.map((one) => ({ one, size: sizeOf(one) }))
  // Every load must show the same series.
  sized.sort((a, b) => (a.size === b.size ? compare(a.one.key, b.one.key) : a.size < b.size ? 1 : -1))
  const ordered = sized.map(({ one }) => one)
  const others = series.filter(({ isOther }) => isOther === true)
  const rest = [...ordered.slice(countMax), ...others]
  const length = Math.max(...rest.map(({ values }) => values.length))
  return [
    ...ordered.slice(0, countMax),
    {
      key: 'other',
      // If the server has already joined some series, the number in Other is not known.
      name: others.length === 0 ? `Other (${rest.length})` : 'Other',
      isOther: true,
      values: Array.from({ length }, (_, n) => sum(rest.map(({ values }) => values[n]))),
    },
  ]
}

/** Adds absolute values, so that a large refund counts as much as a large charge. */
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
