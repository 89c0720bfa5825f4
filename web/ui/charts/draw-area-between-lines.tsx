import { useId, type ReactNode } from 'react'
import type { ChartSeries, ChartValue } from './chart-data.ts'
import { gapPieces } from './split-area-between-lines.ts'

/** A gain has one color, and a loss is hatched in another color. */
export function GapArea<V extends ChartValue>({
  lower,
  upper,
  xOf,
  yOf,
}: {
  readonly upper: ChartSeries<V>
  readonly lower: ChartSeries<V>
  readonly xOf: (n: number) => number
  readonly yOf: (value: V) => number
}): ReactNode {
  const id = useId()
  const pieces = gapPieces(
    upper.values.map((value, n) => {
      const other = lower.values[n] ?? null
      // In a drawing, y grows downward, so larger values are nearer to the top.
      return {
        x: xOf(n),
        upper: value === null ? null : -yOf(value),
        lower: other === null ? null : -yOf(other),
      }
    }),
  )
  return (
    <g>
      <defs>
        <pattern
          id={`${id}loss`}
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="5" height="5" fill="var(--color-negative-2)" />
          <rect width="1.5" height="5" fill="var(--color-negative)" />
        </pattern>
      </defs>
      {pieces.map(({ isGain, points }, n) => (
        <polygon
          key={n}
          fill={isGain ? 'var(--color-positive-2)' : `url(#${id}loss)`}
          points={[
            ...points.map((point) => `${point.x.toFixed(1)},${(-point.upper).toFixed(1)}`),
            ...points.toReversed().map((point) => `${point.x.toFixed(1)},${(-point.lower).toFixed(1)}`),
          ].join(' ')}
        />
      ))}
    </g>
  )
}
