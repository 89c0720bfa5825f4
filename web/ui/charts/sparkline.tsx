import type { ReactNode } from 'react'
import type { ChartValue, Format } from './chart-value.ts'

export interface SparklineProps<V extends ChartValue> {
  /** What it is of, as its name begins: `Charged`. */
  readonly label: string
  /** From the oldest; null where nothing was measured. */
  readonly values: readonly (V | null)[]
  readonly format: Format<V>
}

const width = 64
const height = 20

/** A line without axes, as high as a line of text. Its name says what the eye takes from it. */
export function Sparkline<V extends ChartValue>({ format, label, values }: SparklineProps<V>): ReactNode {
  const known = values.filter((value) => value !== null)
  const [first] = known
  const last = known.at(-1)
  if (first === undefined || last === undefined) {
    return (
      <span className="inline-block w-16 text-ink-3" title={`${label}: no data`}>
        <span aria-hidden>–</span>
        <span className="sr-only">{label}: no data</span>
      </span>
    )
  }
  const low = known.reduce((a, b) => (b < a ? b : a))
  const high = known.reduce((a, b) => (b > a ? b : a))
  const span = Number(high) - Number(low)
  const xOf = (n: number): number =>
    values.length === 1 ? width / 2 : 2 + (n / (values.length - 1)) * (width - 4)
  // All the same: in the middle, or on the floor if that is zero.
  const yOf = (value: V): number =>
    span === 0
      ? Number(value) === 0
        ? height - 2
        : height / 2
      : 2 + ((Number(high) - Number(value)) / span) * (height - 4)
  let path = ''
  let isOpen = false
  for (const [n, value] of values.entries()) {
    if (value !== null) path += `${isOpen ? 'L' : 'M'}${xOf(n).toFixed(1)} ${yOf(value).toFixed(1)}`
    isOpen = value !== null
  }
  const words =
    known.length === 1
      ? `${label}: ${format(first)}`
      : `${label}, ${known.length} points: first ${format(first)}, last ${format(last)}, lowest ${format(low)}, highest ${format(high)}`
  return (
    <svg role="img" aria-label={words} width={width} height={height} className="inline-block align-middle">
      <path
        d={path}
        fill="none"
        stroke="var(--color-ink-3)"
        strokeWidth="1.25"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <circle cx={xOf(values.lastIndexOf(last))} cy={yOf(last)} r="1.75" fill="var(--color-ink)" />
    </svg>
  )
}
