import type { ReactNode } from 'react'
import type { ChartValue, Format } from './chart-data.ts'

export interface SparklineProps<V extends ChartValue> {
  readonly label: string
  /** Oldest first. Null if no value was measured. */
  readonly values: readonly (V | null)[]
  readonly format: Format<V>
}

const width = 64
const height = 20

/** The accessible name of the line describes its trend. */
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
  const points = thinned(values.map((value) => (value === null ? null : Number(value))))
  const heights = points.filter((value) => value !== null)
  const bottom = Math.min(...heights)
  const span = Math.max(...heights) - bottom
  const xOf = (n: number): number =>
    points.length === 1 ? width / 2 : 2 + (n / (points.length - 1)) * (width - 4)
  // Equal values are in the middle, and zeros at the bottom.
  const yOf = (value: number): number => {
    if (span === 0) return value === 0 ? height - 2 : height / 2
    return height - 2 - ((value - bottom) / span) * (height - 4)
  }
  let path = ''
  let isOpen = false
  for (const [n, value] of points.entries()) {
    if (value !== null) path += `${isOpen ? 'L' : 'M'}${xOf(n).toFixed(1)} ${yOf(value).toFixed(1)}`
    isOpen = value !== null
  }
  const end = points.findLastIndex((value) => value !== null)
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
      <circle cx={xOf(end)} cy={yOf(points[end] ?? 0)} r="1.75" fill="var(--color-ink)" />
    </svg>
  )
}

/** With more points than pixels, the line would become a band. */
function thinned(values: readonly (number | null)[]): readonly (number | null)[] {
  const size = Math.ceil(values.length / (width / 2))
  if (size <= 1) return values
  return Array.from({ length: Math.ceil(values.length / size) }, (_, n) => {
    const known = values.slice(n * size, (n + 1) * size).filter((value) => value !== null)
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length
  })
}
