import { plus, type ChartSeries, type ChartValue } from './chart-data.ts'

export interface Segment<V> {
  readonly from: V
  readonly to: V
}

/**
 * Gains are stacked upward from zero and losses downward, so that parts never overlap. A part is null if no value was
 * measured.
 */
export function stack<V extends ChartValue>(
  series: readonly ChartSeries<V>[],
): readonly (readonly (Segment<V> | null)[])[] {
  const above: (V | undefined)[] = []
  const below: (V | undefined)[] = []
  return series.map(({ values }) =>
    values.map((value, n) => {
      if (value === null) return null
      const side = value < 0 ? below : above
      const from = side[n] ?? ((typeof value === 'bigint' ? 0n : 0) as V)
      const to = plus(from, value)
      side[n] = to
      return { from, to }
    }),
  )
}
