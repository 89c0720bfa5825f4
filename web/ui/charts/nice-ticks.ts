/**
 * Ticks are multiples of 1, 2 or 5 times a power of ten. The step is the smallest with which the ticks fit and no label
 * repeats. With amounts in cents, a smaller step could label two lines `$0.00`.
 */
import type { ChartValue, Format } from './chart-data.ts'

export interface Tick<V> {
  readonly value: V
  readonly label: string
}

export interface NiceScale<V> {
  readonly ticks: readonly Tick<V>[]
  /** A multiple of the step that is at most zero and at most every value. */
  readonly from: V
  /** A multiple of the step that is at least zero and at least every value. */
  readonly to: V
}

export function niceTicks<V extends ChartValue>({
  countMax = 5,
  format,
  values,
}: {
  readonly values: readonly V[]
  /** At least 3, because an axis with both signs needs three ticks. */
  readonly countMax?: number
  readonly format: Format<V>
}): NiceScale<V> {
  const isBig = values.some((value) => typeof value === 'bigint')
  const own = (value: bigint): V => (isBig ? value : Number(value)) as V
  let low = 0n
  let high = 0n
  for (const value of values) {
    const [floor, ceiling] = wholes(value)
    if (floor < low) low = floor
    if (ceiling > high) high = ceiling
  }
  if (low === high) {
    const zero = own(0n)
    // Without values, the number type is not known, so no zero can be formatted.
    return { ticks: values.length === 0 ? [] : [{ value: zero, label: format(zero) }], from: zero, to: zero }
  }
  let smallest: { readonly from: V; readonly to: V } | null = null
  for (const step of steps()) {
    const first = floorTo(low, step)
    const last = -floorTo(-high, step)
    const count = (last - first) / step + 1n
    if (count > BigInt(Math.max(countMax, 3))) continue
    const found = Array.from({ length: Number(count) }, (_, n) => own(first + BigInt(n) * step))
    const labels = tickLabels(found.map(format))
    const ends = { from: own(first), to: own(last) }
    if (new Set(labels).size === labels.length)
      return { ticks: found.map((value, n) => ({ value, label: labels[n] ?? '' })), ...ends }
    smallest ??= ends
    // The format returns the same label for all values.
    if (step > (high - low) * 1000n) {
      const zero = own(0n)
      return { ticks: [{ value: zero, label: format(zero) }], ...smallest }
    }
  }
  throw new Error('unreachable: steps() never ends')
}

/**
 * Gives all labels the same number of decimals: next to `$0.0005`, `$0.00` becomes `$0.0000`. If all decimals are zero,
 * they are removed: `$10.00` and `$20.00` become `$10` and `$20`.
 */
export function tickLabels(labels: readonly string[]): readonly string[] {
  const decimals = labels.map((label) => /\.(\d+)$/.exec(label)?.[1])
  if (decimals.some((digits) => digits === undefined)) return labels
  const longest = Math.max(...decimals.map((digits) => digits?.length ?? 0))
  const padded = labels.map((label, n) => label + '0'.repeat(longest - (decimals[n]?.length ?? 0)))
  const even = padded.every((label) => /\.0+$/.test(label))
    ? padded.map((label) => label.replace(/\.0+$/, ''))
    : padded
  return new Set(even).size === labels.length ? even : labels
}

function* steps(): Generator<bigint> {
  for (let power = 1n; ; power *= 10n) {
    yield power
    yield 2n * power
    yield 5n * power
  }
}

function floorTo(value: bigint, step: bigint): bigint {
  const rest = value % step
  return value - (rest < 0n ? rest + step : rest)
}

function wholes(value: ChartValue): readonly [bigint, bigint] {
  return typeof value === 'bigint' ? [value, value] : [BigInt(Math.floor(value)), BigInt(Math.ceil(value))]
}
