import type { ChartValue } from './chart-data.ts'

/**
 * The parts add up to 1000: each is rounded down, and the difference goes to the largest fractions.
 * @param values must not be negative; if all are zero, all results are zero
 */
export function permilles(values: readonly ChartValue[]): readonly number[] {
  const whole = values.map((value) => BigInt(typeof value === 'bigint' ? value : Math.round(value)))
  const total = whole.reduce((sum, value) => sum + value, 0n)
  if (total === 0n) return whole.map(() => 0)
  const parts = whole.map((value, n) => ({ n, part: (value * 1000n) / total, rest: (value * 1000n) % total }))
  let missing = 1000n - parts.reduce((sum, { part }) => sum + part, 0n)
  for (const found of parts.toSorted((a, b) => (a.rest === b.rest ? a.n - b.n : a.rest < b.rest ? 1 : -1))) {
    if (missing === 0n) break
    found.part += 1n
    missing -= 1n
  }
  return parts.map(({ part }) => Number(part))
}
