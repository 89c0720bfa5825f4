/**
 * The lines, areas and bars of a chart over time, and nothing else: axes, labels and what is chosen are drawn by
 * time-series.tsx, so that they are there before the library is. This file alone imports recharts, and is loaded with
 * the first chart of a page.
 */
import type { ReactNode } from 'react'
import { Area, Bar, ComposedChart, Line, XAxis, YAxis } from 'recharts'
import type { Plot } from './axes.tsx'
import { fillOf, Textures, type Stroke } from './strokes.tsx'

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
  /** A faint line. */
  readonly previous: { readonly stroke: Stroke; readonly values: readonly (number | null)[] } | null
  /** The ends of the axis of values. */
  readonly domain: readonly [number, number]
  readonly count: number
  readonly barWidth: number
  /** Dashes of lines that change at every pixel are dots. */
  readonly isDashed: boolean
}

interface Row {
  readonly at: number
  readonly values: readonly (number | null)[]
  readonly previous: number | null
}

export default function Marks({
  barWidth,
  count,
  domain,
  height,
  id,
  isDashed,
  kind,
  plot,
  previous,
  series,
  width,
}: MarksProps): ReactNode {
  const rows = Array.from({ length: count }, (_, at): Row => ({
    at,
    values: series.map(({ values }) => values[at] ?? null),
    previous: previous?.values[at] ?? null,
  }))
  // Bars stand in the middle of their buckets, lines go from the first point to the last.
  const ends = kind === 'bars' ? [-0.5, count - 0.5] : count === 1 ? [-1, 1] : [0, count - 1]
  // The library puts bars on whole pixels: as thin as these they would leave stripes, and steps do not.
  const isThin = barWidth < 4
  const still = { isAnimationActive: false, activeDot: false, legendType: 'none' } as const
  return (
    <ComposedChart
      width={width}
      height={height}
      data={rows}
      accessibilityLayer={false}
      stackOffset="sign"
      margin={{
        left: plot.left,
        top: plot.top,
        right: width - plot.left - plot.width,
        bottom: height - plot.top - plot.height,
      }}
    >
      <Textures id={id} />
      <XAxis hide type="number" dataKey="at" domain={ends} allowDataOverflow />
      <YAxis hide type="number" domain={[...domain]} allowDataOverflow />
      {series.map(({ key, stroke }, n) => {
        const dataKey = (row: Row): number | null => row.values[n] ?? null
        if (kind === 'bars' && !isThin)
          return (
            <Bar
              key={key}
              {...still}
              dataKey={dataKey}
              stackId="all"
              barSize={barWidth}
              fill={fillOf(id, stroke)}
              stroke="var(--color-surface)"
              strokeWidth={0.75}
            />
          )
        if (kind !== 'lines')
          return (
            <Area
              key={key}
              {...still}
              dataKey={dataKey}
              stackId="all"
              type={isThin && kind === 'bars' ? 'step' : 'linear'}
              fill={fillOf(id, stroke)}
              fillOpacity={1}
              stroke={isThin && kind === 'bars' ? 'none' : 'var(--color-surface)'}
              strokeWidth={0.75}
            />
          )
        return (
          <Line
            key={key}
            {...still}
            dataKey={dataKey}
            type="linear"
            dot={false}
            stroke={stroke.color}
            strokeWidth={1.75}
            strokeDasharray={(isDashed && stroke.dash) || ''}
            strokeLinejoin="round"
          />
        )
      })}
      {previous && (
        <Line
          {...still}
          dataKey="previous"
          type="linear"
          dot={false}
          stroke={previous.stroke.color}
          strokeWidth={1.25}
          strokeDasharray={previous.stroke.dash ?? ''}
        />
      )}
    </ComposedChart>
  )
}
