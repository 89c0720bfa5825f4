import { useId, type ReactNode } from 'react'
import { useNow } from '#web/ui/current-time-hooks.ts'
import {
  Axes,
  barWidth,
  labelWidth,
  tickCount,
  timeAxisHeight,
  timeTickCount,
  yScale,
  type Plot,
} from './axes.tsx'
import { ChartFrame, NoData } from './chart-frame.tsx'
import {
  deltaText,
  minus,
  type ChartSeries,
  type ChartValue,
  type Format,
  type TimeData,
} from './chart-data.ts'
import { Chooser } from './point-selector.tsx'
import { GapArea } from './draw-area-between-lines.tsx'
import { Legend } from './legend.tsx'
import { niceTicks } from './nice-ticks.ts'
import { RangeAction } from './show-range-button.tsx'
import { FloatingReadout, Readout, type ReadoutRow } from './values-at-selected-point.tsx'
import { spreadLabels } from './spread-labels.ts'
import { stack } from './stacked-series.ts'
import { previousStroke, strokeOf, type Stroke } from './series-styles.tsx'
import { bucketText } from './time-text.ts'
import { Marks } from './time-series-marks.tsx'
import { timeTicks } from './time-ticks.ts'
import { hasValues, spanText, summaryOf, totalAt, twinOf, valueText } from './describe-time-chart.ts'
import { topSeries } from './top-series.ts'
import { UnfinishedBucket } from './unfinished-bucket.tsx'
import { useChosen } from './selected-points-hook.ts'
import { useWidth } from './use-width.ts'

export interface TimeSeriesProps<V extends ChartValue> extends TimeData<V> {
  readonly label: string
  readonly isHeading?: boolean | undefined
  readonly unit?: string | undefined
  readonly format: Format<V>
  /** Areas and bars need additive values. */
  readonly kind: 'lines' | 'areas' | 'bars'
  /** Such as margin, which is the distance between charged and cost. */
  readonly gap?: { readonly upper: string; readonly lower: string; readonly name: string } | undefined
  /** Drawn as a faint line. In a stacked chart, the line is the sum of the series. */
  readonly previous?: ChartSeries<V> | undefined
  /** In pixels, including the axes. */
  readonly height?: number | undefined
  /** From the start of the first selected bucket to `toMs` (exclusive). */
  readonly onRange?: ((fromMs: number, toMs: number) => void) | undefined
  readonly empty?: ReactNode
}

/** Names next to the ends of lines, and floating values, need this width. */
const directLabelsFrom = 560
const directLabelWidth = 156

export function TimeSeries<V extends ChartValue>({
  empty = 'No data in this range.',
  format,
  gap,
  height = 240,
  isHeading,
  kind,
  label,
  onRange,
  previous,
  series: all,
  stepMs,
  times,
  unit,
}: TimeSeriesProps<V>): ReactNode {
  const id = useId()
  const [ref, width] = useWidth<HTMLDivElement>()
  const isSummed = kind !== 'lines'
  const data = { times, stepMs, series: topSeries(all, 7) }
  const { series } = data
  const isEmpty = !hasValues(data)
  const count = times.length
  const nowMs = useNow(60_000)
  const unfinished = times.findIndex((ms) => ms <= nowMs && nowMs < ms + stepMs)
  const { at, chosen, lit, range, setChosen, take } = useChosen(data, onRange)

  const rowsAt = (n: number): readonly ReadoutRow[] => {
    const row = (
      key: string,
      name: string,
      stroke: Stroke | null,
      values: (m: number) => V | null,
    ): ReadoutRow => {
      const value = values(n)
      const before = n > 0 ? values(n - 1) : null
      return {
        key,
        name,
        stroke,
        value: valueText(value, format),
        delta: value === null || before === null || n === unfinished ? '' : deltaText(value, before, format),
      }
    }
    const upper = series.find(({ key }) => key === gap?.upper)
    const lower = series.find(({ key }) => key === gap?.lower)
    return [
      ...series.map((one, m) => row(one.key, one.name, strokeOf(one, m), (k) => one.values[k] ?? null)),
      ...(gap && upper && lower
        ? [row('gap', gap.name, null, (k) => difference(upper.values[k], lower.values[k]))]
        : []),
      ...(isSummed && series.length > 1 ? [row('total', 'Total', null, (k) => totalAt(series, k))] : []),
      ...(previous
        ? [row('previous', previous.name, previousStroke, (k) => previous.values[k] ?? null)]
        : []),
    ]
  }
  const nameOf = (n: number): string =>
    bucketText(times[n] ?? 0, stepMs) + (n === unfinished ? ', so far' : '')
  const spoken = range
    ? `${spanText(data, ...range)}; press Enter to show this range`
    : `${nameOf(at ?? count - 1)}${rowsAt(at ?? count - 1)
        .map(({ delta, name, value }) => `; ${name} ${value}${delta && `, ${delta}`}`)
        .join('')}`

  return (
    <ChartFrame
      label={label}
      isHeading={isHeading}
      unit={unit}
      summary={summaryOf(
        { times, stepMs, series: previous ? [...series, previous] : series },
        { label, format, isSummed },
      )}
      table={isEmpty ? null : () => twinOf({ times, stepMs, series: all }, { format, isSummed, previous })}
      actions={
        range && onRange && <RangeAction words={spanText(data, ...range)} onTake={() => take(...range)} />
      }
    >
      {isEmpty ? (
        <NoData height={height}>{empty}</NoData>
      ) : (
        <div ref={ref} className="mt-2" style={{ minHeight: height }}>
          {width > 0 && (
            <Picture
              id={id}
              data={data}
              format={format}
              gap={gap}
              height={height}
              kind={kind}
              lit={lit}
              previous={previous ?? null}
              unfinished={unfinished}
              width={width}
              below={{ title: nameOf(at ?? count - 1), rows: rowsAt(at ?? count - 1) }}
            >
              {(plot, xOf) => (
                <>
                  {at !== null && !range && width >= directLabelsFrom && (
                    <FloatingReadout
                      id={id}
                      kind={isSummed ? 'area' : 'line'}
                      title={nameOf(at)}
                      rows={rowsAt(at)}
                      plot={plot}
                      x={xOf(at)}
                    />
                  )}
                  <Chooser
                    label={label}
                    words={spoken}
                    count={count}
                    chosen={chosen}
                    onChosen={setChosen}
                    onRange={onRange && take}
                    indexAt={(x) =>
                      kind === 'bars'
                        ? Math.floor((x / plot.width) * count)
                        : Math.round((x / plot.width) * (count - 1))
                    }
                    {...plot}
                  />
                </>
              )}
            </Picture>
          )}
        </div>
      )}
    </ChartFrame>
  )
}

interface PictureProps<V extends ChartValue> {
  readonly id: string
  readonly data: TimeData<V>
  readonly format: Format<V>
  readonly gap: TimeSeriesProps<V>['gap']
  readonly kind: TimeSeriesProps<V>['kind']
  readonly previous: ChartSeries<V> | null
  /** -1 if all buckets are complete. */
  readonly unfinished: number
  readonly width: number
  readonly height: number
  readonly lit: readonly [number, number] | null
  readonly below: { readonly title: string; readonly rows: readonly ReadoutRow[] }
  readonly children: (plot: Plot, xOf: (n: number) => number) => ReactNode
}

function Picture<V extends ChartValue>({
  below,
  children,
  data: { series, stepMs, times },
  format,
  gap,
  height,
  id,
  kind,
  lit,
  previous,
  unfinished,
  width,
}: PictureProps<V>): ReactNode {
  const count = times.length
  const isSummed = kind !== 'lines'
  const segments = isSummed ? stack(series) : null
  /** For lines, the upper end is the value. */
  const upperAt = (place: number, n: number): V | null =>
    segments ? (segments[place]?.[n]?.to ?? null) : (series[place]?.values[n] ?? null)
  const values = series.flatMap((_, place) => times.map((_time, n) => upperAt(place, n)))
  const scale = niceTicks({
    values: values.concat(previous?.values ?? []).filter((value) => value !== null),
    format,
    countMax: tickCount(height),
  })
  const left = labelWidth(scale.ticks.map((tick) => tick.label))
  const isWide = width >= directLabelsFrom && series.length + (previous ? 1 : 0) > 1
  const top = 8
  const plotHeight = height - top - timeAxisHeight
  const narrow = { left, top, width: width - left - 4, height: plotHeight }
  const yOf = yScale(scale, narrow)
  const names = [
    ...series.map((one, place) => ({
      key: one.key,
      name: one.name,
      stroke: strokeOf(one, place),
      y: labelHeight(segments?.[place]?.findLast((part) => part !== null) ?? null, one, yOf),
    })),
    ...(previous
      ? [
          {
            key: 'previous',
            name: previous.name,
            stroke: previousStroke,
            y: labelHeight(null, previous, yOf),
          },
        ]
      : []),
  ]
  const places = isWide
    ? spreadLabels(
        names.map(({ y }) => y),
        { from: top + 4, to: top + plotHeight - 2, gap: 16 },
      )
    : null
  const plot = places ? { ...narrow, width: narrow.width - directLabelWidth } : narrow
  const band = plot.width / count
  /** The highlight of a bar is as wide as its bucket. */
  const margin = kind === 'bars' ? band / 2 : 0
  const xOf = (n: number): number => {
    if (kind === 'bars') return plot.left + (n + 0.5) * band
    return plot.left + (count === 1 ? plot.width / 2 : (n / (count - 1)) * plot.width)
  }
  const [first = 0] = times
  const last = times.at(-1) ?? first
  const upper = series.find(({ key }) => key === gap?.upper)
  const lower = series.find(({ key }) => key === gap?.lower)
  const right = plot.left + plot.width
  return (
    <>
      <div className="relative" style={{ height }}>
        <svg aria-hidden width={width} height={height} className="absolute inset-0 block overflow-visible">
          {unfinished >= 0 && (
            <UnfinishedBucket
              plot={plot}
              from={kind === 'bars' ? xOf(unfinished) - band / 2 : xOf(Math.max(unfinished - 1, 0))}
            />
          )}
          {lit && (kind === 'bars' || lit[0] !== lit[1]) && (
            <rect
              x={xOf(lit[0]) - margin}
              y={top}
              width={xOf(lit[1]) - xOf(lit[0]) + 2 * margin}
              height={plotHeight}
              fill="var(--color-surface-3)"
            />
          )}
          <Axes
            plot={plot}
            scale={scale}
            timeTicks={timeTicks({
              fromMs: first,
              toMs: last,
              stepMs,
              countMax: timeTickCount(plot.width),
            })}
            xOf={({ atMs }) => xOf((atMs - first) / stepMs)}
            yOf={yOf}
          />
          {upper && lower && <GapArea upper={upper} lower={lower} xOf={xOf} yOf={yOf} />}
        </svg>
        <Marks
          id={id}
          kind={kind}
          width={width}
          height={height}
          plot={plot}
          count={count}
          barWidth={barWidth(band)}
          isDashed={!places || count <= plot.width / 4}
          domain={domainOf(Number(scale.from), Number(scale.to))}
          series={series.map((one, place) => ({
            key: one.key,
            stroke: strokeOf(one, place),
            values: one.values.map(geometry),
          }))}
          previous={previous && { stroke: previousStroke, values: previous.values.map(geometry) }}
        />
        <svg aria-hidden width={width} height={height} className="absolute inset-0 block overflow-visible">
          {!isSummed &&
            series.map((one, place) => (
              <g key={one.key} fill={strokeOf(one, place).color}>
                {one.values.map((value, n) =>
                  value !== null && isAlone(one.values, n) ? (
                    <circle key={n} cx={xOf(n)} cy={yOf(value)} r="2.5" />
                  ) : null,
                )}
              </g>
            ))}
          {lit && lit[0] === lit[1] && kind !== 'bars' && (
            <g>
              <line
                x1={xOf(lit[0])}
                x2={xOf(lit[0])}
                y1={top}
                y2={top + plotHeight}
                stroke="var(--color-ink-3)"
              />
              {series.map((one, place) => {
                const value = upperAt(place, lit[0])
                return value === null ? null : (
                  <circle
                    key={one.key}
                    cx={xOf(lit[0])}
                    cy={yOf(value)}
                    r="3.5"
                    fill={strokeOf(one, place).color}
                    stroke="var(--color-surface)"
                    strokeWidth="1.5"
                  />
                )
              })}
            </g>
          )}
          {places &&
            names.map(({ key, name, stroke, y }, n) => (
              <g key={key}>
                <path
                  d={`M${right + 4} ${y}L${right + 12} ${places[n]}h8`}
                  fill="none"
                  stroke={stroke.color}
                  strokeWidth="1.5"
                />
                <text x={right + 24} y={(places[n] ?? 0) + 4} className="text-12" fill="var(--color-ink-2)">
                  {clipped(name)}
                </text>
              </g>
            ))}
        </svg>
        {children(plot, xOf)}
      </div>
      {width < directLabelsFrom ? (
        <div className="mt-2">
          <Readout id={id} kind={isSummed ? 'area' : 'line'} {...below} />
        </div>
      ) : (
        !places && names.length > 1 && <Legend id={id} kind={isSummed ? 'area' : 'line'} items={names} />
      )}
    </>
  )
}

/** The end of the line, or the middle of the last part of the stack. */
function labelHeight<V extends ChartValue>(
  part: { readonly from: V; readonly to: V } | null,
  { values }: ChartSeries<V>,
  yOf: (value: V) => number,
): number {
  if (part) return (yOf(part.from) + yOf(part.to)) / 2
  const last = values.findLast((value) => value !== null)
  return last === undefined || last === null ? 0 : yOf(last)
}

function difference<V extends ChartValue>(one: V | null | undefined, other: V | null | undefined): V | null {
  return one === null || one === undefined || other === null || other === undefined ? null : minus(one, other)
}

/** A point without neighbors is drawn as a dot. */
function isAlone(values: readonly unknown[], n: number): boolean {
  return (values[n - 1] ?? null) === null && (values[n + 1] ?? null) === null
}

const geometry = (value: ChartValue | null): number | null => (value === null ? null : Number(value))

/** Zero is at the bottom if all values are zero. */
function domainOf(from: number, to: number): readonly [number, number] {
  return from === to ? [from, from + 1] : [from, to]
}

const clipped = (name: string): string => (name.length > 19 ? `${name.slice(0, 18)}\u2026` : name)
