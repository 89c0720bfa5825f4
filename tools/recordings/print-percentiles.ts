export interface NamedRatio {
  readonly name: string
  readonly ratio: number
}

/** NaN if the list is empty. */
function percentileOf(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

/** Prints the median, the 95th percentile and the maximum of a group, and the recordings with the largest ratios. */
export function printRatios(group: string, ratios: readonly NamedRatio[], worst = 3): void {
  if (ratios.length === 0) return
  const sorted = ratios.toSorted((one, other) => other.ratio - one.ratio)
  const numbers = sorted.map(({ ratio }) => ratio).toReversed()
  const [p50, p95, most] = [50, 95, 100].map((percent) => percentileOf(numbers, percent).toPrecision(3))
  console.log(`${group}: ${numbers.length} calls, p50 ${p50}, p95 ${p95}, max ${most}`)
  for (const { name, ratio } of sorted.slice(0, worst)) console.log(`    ${ratio.toPrecision(3)}  ${name}`)
}
