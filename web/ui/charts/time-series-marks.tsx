/** time-series.tsx draws axes, labels and the selection. Each series is one path. */
import type { ReactNode } from 'react'
import type { Plot } from './axes.tsx'
import { linePath, partPath, stepPath, type PathPart, type PathPoint } from './series-path.ts'
import { stack } from './stacked-series.ts'
import { fillOf, Textures, type Stroke } from './series-styles.tsx'

export interface MarksProps {
  readonly id: string
  readonly kind: 'lines' | 'areas' | 'bars'
  readonly width: number
  readonly height: number
  readonly plot: Plot
  readonly series: readonly {
    readonly key: string
    readonly stroke: Stroke
    readonly values: readonly (number | null)[]
  }[]
  /** Drawn as a faint line. */
  readonly previous: { readonly stroke: Stroke; readonly values: readonly (number | null)[] } | null
  readonly domain: readonly [number, number]
  readonly count: number
  readonly barWidth: number
  /** Dashed lines with a point at every pixel would look like dots. */
  readonly isDashed: boolean
}

export function Marks({
  barWidth,
  count,
  domain: [from, to],
  height,
  id,
  isDashed,
  kind,
  plot,
  previous,
  series,
  width,
}: MarksProps): ReactNode {
  const band = plot.width / count
  // Bars are centered in their buckets. Lines extend from the first point to the last point.
  const xOf = (n: number): number => {
    if (kind === 'bars') return plot.left + (n + 0.5) * band
    return plot.left + (count === 1 ? plot.width / 2 : (n / (count - 1)) * plot.width)
  }
  const yOf = (value: number): number => plot.top + plot.height - ((value - from) / (to - from)) * plot.height
  const pointsOf = (values: readonly (number | null)[]): readonly (PathPoint | null)[] =>
    values.map((value, n) => (value === null ? null : { x: xOf(n), y: yOf(value) }))
  const stacked = kind === 'lines' ? [] : stack(series.map(({ key, values }) => ({ key, name: key, values })))
  const partsOf = (place: number): readonly (PathPart | null)[] =>
    (stacked[place] ?? []).map((part, n) => part && { x: xOf(n), from: yOf(part.from), to: yOf(part.to) })
  // Separate bars without gaps would leave stripes at pixel edges, so draw them as one outline.
  const areaOf = (place: number): string => {
    if (kind === 'areas') return partPath(partsOf(place))
    return barWidth < 4
      ? stepPath(partsOf(place), band)
      : partsOf(place)
          .map((part) => (part ? stepPath([part], barWidth) : ''))
          .join('')
  }
  return (
    <svg aria-hidden width={width} height={height} className="absolute inset-0 block overflow-visible">
      <Textures id={id} />
      {series.map(({ key, stroke, values }, place) =>
        kind === 'lines' ? (
          <path
            key={key}
            d={linePath(pointsOf(values))}
            fill="none"
            stroke={stroke.color}
            strokeWidth="1.75"
            strokeDasharray={isDashed ? stroke.dash : undefined}
            strokeLinejoin="round"
          />
        ) : (
          <path
            key={key}
            d={areaOf(place)}
            fill={fillOf(id, stroke)}
            stroke={kind === 'bars' && barWidth < 4 ? 'none' : 'var(--color-surface)'}
            strokeWidth="0.75"
          />
        ),
      )}
      {previous && (
        <path
          d={linePath(pointsOf(previous.values))}
          fill="none"
          stroke={previous.stroke.color}
          strokeWidth="1.25"
          strokeDasharray={previous.stroke.dash}
        />
      )}
    </svg>
  )
}
