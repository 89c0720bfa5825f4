export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function spread(values: readonly number[]): Spread {
  return {
    median: rounded(percentile(values, 50)),
    min: rounded(Math.min(...values)),
    max: rounded(Math.max(...values)),
  }
}

/** By nearest rank. NaN if there are no values, so that the result cannot be mistaken for a measurement. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

/** Returns the rounded percentile, or null if there are no values. */
export function percentileOrNull(values: readonly number[], percent: number): number | null {
  return values.length === 0 ? null : rounded(percentile(values, percent))
}

/** Rounds to three decimals. More digits would only be noise in a result file that people compare. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
