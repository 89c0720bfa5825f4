/** The zero line is stronger than the other grid lines. */
import type { ReactNode } from 'react'
import type { ChartValue } from './chart-data.ts'
import type { NiceScale } from './nice-ticks.ts'
import type { TimeTick } from './time-ticks.ts'

/** The plot area, in pixels of the drawing. */
export interface Plot {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export const timeAxisHeight = 24
/** The width of a digit in the widest of our fallback fonts, at 12 pixels. */
const characterWidth = 7.2

export function labelWidth(labels: readonly string[]): number {
  return Math.ceil(Math.max(...labels.map((label) => label.length), 0) * characterWidth) + 10
}

export function tickCount(height: number): number {
  return Math.max(Math.floor((height - timeAxisHeight) / 40) + 1, 3)
}

export function timeTickCount(width: number): number {
  return Math.max(Math.floor(width / 60), 2)
}

/** Bars have a small gap between them, and a single bar has a maximum width. */
export function barWidth(band: number): number {
  const gap = band >= 12 ? 4 : band >= 5 ? 2 : band >= 3 ? 1 : 0
  return Math.min(band - gap, 48)
}

export function yScale<V extends ChartValue>(
  { from, to }: NiceScale<V>,
  { height, top }: Plot,
): (value: V) => number {
  const low = Number(from)
  const span = Number(to) - low
  // Zero is at the bottom if all values are zero.
  return (value) => top + height - (span === 0 ? 0 : ((Number(value) - low) / span) * height)
}

export function Axes<V extends ChartValue>({
  plot,
  scale,
  timeTicks,
  xOf,
  yOf,
}: {
  readonly plot: Plot
  readonly scale: NiceScale<V>
  readonly timeTicks: readonly TimeTick[]
  readonly xOf: (tick: TimeTick) => number
  readonly yOf: (value: V) => number
}): ReactNode {
  const right = plot.left + plot.width
  return (
    <g className="figures text-12" fill="var(--color-ink-3)">
      {scale.ticks.map(({ label, value }) => {
        const isZero = value === 0 || value === 0n
        const y = Math.round(yOf(value)) + 0.5
        return (
          <g key={label}>
            <line
              x1={plot.left}
              x2={right}
              y1={y}
              y2={y}
              stroke={isZero ? 'var(--color-edge)' : 'var(--color-line)'}
            />
            <text x={plot.left - 8} y={y + 4} textAnchor="end">
              {label}
            </text>
          </g>
        )
      })}
      {timeTicks.map((tick) => {
        const x = xOf(tick)
        // A label at an edge is moved inward instead of truncated.
        const half = (tick.label.length * characterWidth) / 2
        const at = Math.min(Math.max(x, half), right + 8 - half)
        return (
          <text key={tick.atMs} x={at} y={plot.top + plot.height + 18} textAnchor="middle">
            {tick.label}
          </text>
        )
      })}
    </g>
  )
}
