/** Uses no library. Each series is one path, because 720 hours of eight series would be thousands of elements. */
import { useId, type ReactNode } from 'react'
import { dayMs } from '#money/periods-and-windows.ts'
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
import type { ChartValue, Format, TimeData } from './chart-data.ts'
import { Chooser } from './point-selector.tsx'
import { Legend } from './legend.tsx'
import { niceTicks } from './nice-ticks.ts'
import { RangeAction } from './show-range-button.tsx'
import { stack } from './stacked-series.ts'
import { fillOf, strokeOf, Textures } from './series-styles.tsx'
import { timeTicks } from './time-ticks.ts'
import { hasValues, spanText, summaryOf, totalAt, totalOf, twinOf, valueText } from './describe-time-chart.ts'
import { bucketText } from './time-text.ts'
import { topSeries } from './top-series.ts'
import { useChosen } from './selected-points-hook.ts'
import { useWidth } from './use-width.ts'

export interface BarsProps<V extends ChartValue> extends TimeData<V> {
  readonly label: string
  readonly unit?: string | undefined
  readonly format: Format<V>
  /** In pixels, including the axis. */
  readonly height?: number | undefined
  /** The bucket that contains this time is marked as "today", or as "now" if buckets are shorter than a day. */
  readonly nowMs?: number | undefined
  /** From the start of the first selected bucket to `toMs` (exclusive). */
  readonly onRange?: ((fromMs: number, toMs: number) => void) | undefined
  readonly empty?: ReactNode
}

export function Bars<V extends ChartValue>({
  empty = 'No data in this range.',
  format,
  height = 160,
  label,
  nowMs,
  onRange,
  series: all,
  stepMs,
  times,
  unit,
}: BarsProps<V>): ReactNode {
  const id = useId()
  const [ref, width] = useWidth<HTMLDivElement>()
  const data = { times, stepMs, series: topSeries(all, 7) }
  const { series } = data
  const count = times.length
  const isEmpty = !hasValues(data)
  const summary = summaryOf(data, { label, format, isSummed: true })

  const { at, chosen, lit, range, setChosen, take } = useChosen(data, onRange)
  const current = nowMs === undefined ? -1 : times.findIndex((ms) => ms <= nowMs && nowMs < ms + stepMs)
  const currentName = stepMs >= dayMs ? 'today' : 'now'
  const nameOf = (n: number): string =>
    `${bucketText(times[n] ?? 0, stepMs)}${n === current ? `, ${currentName}` : ''}`
  const read = range
    ? { name: spanText(data, ...range), value: totalOf(series, range) }
    : at === null
      ? { name: `${spanText(data)}, in total`, value: totalOf(series, [0, count - 1]) }
      : { name: nameOf(at), value: totalAt(series, at) }
  const valueIn = (values: readonly (V | null)[]): V | null =>
    totalOf([{ key: '', name: '', values }], range ?? (at === null ? [0, count - 1] : [at, at]))
  const spoken = `${read.name}: ${valueText(read.value, format)}${
    series.length > 1
      ? series.map(({ name, values }) => `; ${name} ${valueText(valueIn(values), format)}`).join('')
      : ''
  }${range ? '; press Enter to show this range' : ''}`

  return (
    <ChartFrame
      label={label}
      unit={unit}
      summary={summary}
      table={isEmpty ? null : () => twinOf({ times, stepMs, series: all }, { format, isSummed: true })}
      actions={
        range && onRange && <RangeAction words={spanText(data, ...range)} onTake={() => take(...range)} />
      }
    >
      {isEmpty ? (
        <NoData height={height}>{empty}</NoData>
      ) : (
        <>
          <p aria-hidden className="figures flex min-h-5 flex-wrap gap-x-2 text-13">
            <span className="font-medium text-ink">{valueText(read.value, format)}</span>
            <span className="text-ink-3">{read.name}</span>
          </p>
          <div ref={ref} className="relative mt-2" style={{ height }}>
            {width > 0 && (
              <Picture
                id={id}
                data={data}
                format={format}
                height={height}
                width={width}
                current={current}
                currentName={currentName}
                lit={lit}
              >
                {(plot) => (
                  <Chooser
                    label={label}
                    words={spoken}
                    count={count}
                    chosen={chosen}
                    onChosen={setChosen}
                    onRange={onRange && take}
                    indexAt={(x) => Math.floor((x / plot.width) * count)}
                    {...plot}
                  />
                )}
              </Picture>
            )}
          </div>
          {series.length > 1 && (
            <Legend
              id={id}
              kind="area"
              items={series.map((one, n) => ({
                key: one.key,
                name: one.name,
                stroke: strokeOf(one, n),
                value: valueText(valueIn(one.values), format),
              }))}
            />
          )}
        </>
      )}
    </ChartFrame>
  )
}

function Picture<V extends ChartValue>({
  children,
  current,
  currentName,
  data: { series, stepMs, times },
  format,
  height,
  id,
  lit,
  width,
}: {
  readonly id: string
  readonly data: TimeData<V>
  readonly format: Format<V>
  readonly width: number
  readonly height: number
  readonly current: number
  readonly currentName: string
  readonly lit: readonly [number, number] | null
  readonly children: (plot: Plot) => ReactNode
}): ReactNode {
  const count = times.length
  const segments = stack(series)
  const ends = segments.flatMap((parts) => parts.flatMap((part) => (part ? [part.to] : [])))
  const scale = niceTicks({ values: ends, format, countMax: tickCount(height) })
  const left = labelWidth(scale.ticks.map((tick) => tick.label))
  const plot = { left, top: 8, width: width - left, height: height - 8 - timeAxisHeight }
  const yOf = yScale(scale, plot)
  const band = plot.width / count
  const thick = barWidth(band)
  const xOf = (n: number): number => left + n * band
  const [first = 0] = times
  const last = times.at(-1) ?? first
  const currentX = xOf(current) + band / 2
  const ticks = timeTicks({
    fromMs: first,
    toMs: last,
    stepMs,
    countMax: timeTickCount(plot.width),
  })
  const tickX = ({ atMs }: { readonly atMs: number }): number => xOf((atMs - first) / stepMs) + band / 2
  return (
    <>
      <svg aria-hidden width={width} height={height} className="absolute inset-0 block overflow-visible">
        <Textures id={id} />
        {lit && (
          <rect
            x={xOf(lit[0])}
            y={plot.top}
            width={(lit[1] - lit[0] + 1) * band}
            height={plot.height}
            fill="var(--color-surface-3)"
          />
        )}
        <Axes
          plot={plot}
          scale={scale}
          timeTicks={ticks.filter((tick) => current < 0 || Math.abs(tickX(tick) - currentX) > 56)}
          xOf={tickX}
          yOf={yOf}
        />
        {series.map((one, n) => (
          <path
            key={one.key}
            fill={fillOf(id, strokeOf(one, n))}
            d={(segments[n] ?? [])
              .map((part, m) =>
                part ? barPath(xOf(m) + (band - thick) / 2, thick, yOf(part.from), yOf(part.to), n > 0) : '',
              )
              .join('')}
          />
        ))}
        {current >= 0 && (
          <text
            x={Math.min(currentX, width - 18)}
            y={plot.top + plot.height + 18}
            textAnchor="middle"
            className="text-12 font-medium"
            fill="var(--color-ink)"
          >
            {currentName}
          </text>
        )}
      </svg>
      {children(plot)}
    </>
  )
}

/** Leaves a gap of one pixel between the parts of a stack, if the parts are high enough. */
function barPath(x: number, width: number, from: number, to: number, isStacked: boolean): string {
  const size = Math.abs(to - from)
  if (size === 0) return ''
  // A value that is not zero must be visible.
  const visible = Math.max(size - (isStacked && size > 3 ? 1 : 0), 1)
  const direction = to < from ? -1 : 1
  const start = to - direction * visible
  return `M${x.toFixed(2)} ${start.toFixed(2)}h${width.toFixed(2)}v${(direction * visible).toFixed(2)}h${(-width).toFixed(2)}z`
}
