/** Values of charts: micros as bigint, or whole numbers. They are summed as what they are, and are floats in geometry alone. */
export type ChartValue = bigint | number

/** Words for a value, with its unit. */
export type Format<V extends ChartValue> = (value: V) => string

/** One thing that is drawn over time. */
export interface ChartSeries<V extends ChartValue> {
  readonly key: string
  readonly name: string
  /** One value for each time of the chart; null where nothing was measured, which is not zero. */
  readonly values: readonly (V | null)[]
  /** Its colour and dash, 1 to 7, where they must stay when others come and go. */
  readonly slot?: number
  /** What does not fit among the series, summed. */
  readonly isOther?: boolean
}

/** What a chart over time is drawn of. */
export interface TimeData<V extends ChartValue> {
  /** The start of each bucket in milliseconds of UTC, ascending, one bucket beside the other. */
  readonly times: readonly number[]
  /** How long a bucket is. */
  readonly stepMs: number
  /** More than seven: the smallest are drawn as their sum, so of what has no sum, such as latencies, give at most seven. */
  readonly series: readonly ChartSeries<V>[]
}

export function plus<V extends ChartValue>(one: V, other: V): V {
  // Both are of the one type V, which the operator cannot know.
  return ((one as number) + (other as number)) as V
}

export function minus<V extends ChartValue>(one: V, other: V): V {
  return ((one as number) - (other as number)) as V
}

export function magnitude<V extends ChartValue>(value: V): V {
  return (value < 0 ? -value : value) as V
}

/** The sum of what is there; null: nothing is. */
export function sum<V extends ChartValue>(values: readonly (V | null | undefined)[]): V | null {
  let total: V | null = null
  for (const value of values) {
    if (value !== null && value !== undefined) total = total === null ? value : plus(total, value)
  }
  return total
}

/** `+$0.12` or `−$0.12`: by how much a value differs from another. */
export function deltaText<V extends ChartValue>(value: V, before: V, format: Format<V>): string {
  const delta = minus(value, before)
  if (delta === 0 || delta === 0n) return 'no change'
  return `${delta > 0 ? '+' : '\u2212'}${format(magnitude(delta))}`
}
