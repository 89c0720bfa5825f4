/** Micros as bigint, or whole numbers. Only the geometry uses floats. */
export type ChartValue = bigint | number

export type Format<V extends ChartValue> = (value: V) => string

export interface ChartSeries<V extends ChartValue> {
  readonly key: string
  readonly name: string
  /** Null means that nothing was measured, which differs from zero. */
  readonly values: readonly (V | null)[]
  /** The color and dash, from 1 to 7. Set it if these must stay the same when other series appear or disappear. */
  readonly slot?: number
  readonly isOther?: boolean
}

export interface TimeData<V extends ChartValue> {
  /** In milliseconds (UTC), ascending, without gaps. */
  readonly times: readonly number[]
  readonly stepMs: number
  /**
   * If there are more than seven series, the smallest are drawn as their sum. Values without a meaningful sum, such as
   * latencies, must have at most seven series.
   */
  readonly series: readonly ChartSeries<V>[]
}

export function plus<V extends ChartValue>(one: V, other: V): V {
  // Both values have the same type V, which the compiler does not know.
  return ((one as number) + (other as number)) as V
}

export function minus<V extends ChartValue>(one: V, other: V): V {
  return ((one as number) - (other as number)) as V
}

export function magnitude<V extends ChartValue>(value: V): V {
  return (value < 0 ? -value : value) as V
}

export function sum<V extends ChartValue>(values: readonly (V | null | undefined)[]): V | null {
  let total: V | null = null
  for (const value of values) {
    if (value !== null && value !== undefined) total = total === null ? value : plus(total, value)
  }
  return total
}

/** Such as `+$0.12` or `−$0.12`. */
export function deltaText<V extends ChartValue>(value: V, before: V, format: Format<V>): string {
  const delta = minus(value, before)
  if (delta === 0 || delta === 0n) return 'no change'
  return `${delta > 0 ? '+' : '\u2212'}${format(magnitude(delta))}`
}
