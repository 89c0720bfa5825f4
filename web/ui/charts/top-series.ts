import { magnitude, plus, sum, type ChartSeries, type ChartValue } from './chart-value.ts'

/**
 * The largest series, and the rest as one that is named `Other`: at most `countMax` and one. What is shown adds up at
 * each time to what there was. Few enough series stay as they are, in their order. One that is a sum of others already
 * is never among the largest.
 */
export function topSeries<V extends ChartValue>(
  series: readonly ChartSeries<V>[],
  countMax: number,
): readonly ChartSeries<V>[] {
  const single = series.filter(({ isOther }) => isOther !== true)
  if (single.length <= countMax) return series
  const sized = single.map((one) => ({ one, size: sizeOf(one) }))
  // By key where two are of one size: the same series are shown after every load.
  sized.sort((a, b) => (a.size === b.size ? compare(a.one.key, b.one.key) : a.size < b.size ? 1 : -1))
  const ordered = sized.map(({ one }) => one)
  const others = series.filter(({ isOther }) => isOther === true)
  const rest = [...ordered.slice(countMax), ...others]
  const length = Math.max(...rest.map(({ values }) => values.length))
  return [
    ...ordered.slice(0, countMax),
    {
      key: 'other',
      // How many there are in a sum is not known.
      name: others.length === 0 ? `Other (${rest.length})` : 'Other',
      isOther: true,
      values: Array.from({ length }, (_, n) => sum(rest.map(({ values }) => values[n]))),
    },
  ]
}

/** Of magnitudes: a large refund is a large thing too. Null is the smallest. */
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
