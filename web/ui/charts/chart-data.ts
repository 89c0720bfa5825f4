/**
 * Values of charts: micros as bigint, or whole numbers. Sums keep the number type, and only the geometry uses floats.
 */
export type ChartValue = bigint | number

/** Returns a value in words, with its unit. */
export type Format<V extends ChartValue> = (value: V) => string

/** A series over time. */
export interface ChartSeries<V extends ChartValue> {
  readonly key: string
  readonly name: string
  /** The value for each time of the chart. Null means that nothing was measured, which differs from zero. */
  readonly values: readonly (V | null)[]
  /**
   * The color and dash of the series, from 1 to 7. Set the slot if color and dash must stay the same when other series
   * appear or disappear.
   */
  readonly slot?: number
  /** Whether this series is the sum of all series that do not fit into the chart. */
  readonly isOther?: boolean
}

/** Data of a chart over time. */
export interface TimeData<V extends ChartValue> {
  /** The start of each bucket in milliseconds (UTC), ascending, without gaps. */
  readonly times: readonly number[]
  /** Length of a bucket. */
  readonly stepMs: number
  /**
   * If the chart has more than seven series, the smallest series are drawn as their sum. If values have no meaningful
   * sum, such as latencies, the chart must have at most seven series.
   */
  readonly series: readonly ChartSeries<V>[]
}

export function plus<V extends ChartValue>(one: V, other: V): V {
  // The cast is safe, because both values have the same type V, which the compiler does not know.
  return ((one as number) + (other as number)) as V
}

export function minus<V extends ChartValue>(one: V, other: V): V {
  return ((one as number) - (other as number)) as V
}

export function magnitude<V extends ChartValue>(value: V): V {
  return (value < 0 ? -value : value) as V
}

/** Returns the sum of the non-null values. Null if all values are null. */
export function sum<V extends ChartValue>(values: readonly (V | null | undefined)[]): V | null {
  let total: V | null = null
  for (const value of values) {
    if (value !== null && value !== undefined) total = total === null ? value : plus(total, value)
  }
  return total
}

/** Formats the difference between two values: `+$0.12` or `−$0.12`. */
export function deltaText<V extends ChartValue>(value: V, before: V, format: Format<V>): string {
  const delta = minus(value, before)
  if (delta === 0 || delta === 0n) return 'no change'
  return `${delta > 0 ? '+' : '\u2212'}${format(magnitude(delta))}`
}
