/** Describes a chart over time for screen readers. */
import type { TableTwin } from './chart-frame.tsx'
import { sum, type ChartSeries, type ChartValue, type Format, type TimeData } from './chart-data.ts'
import { zoneText } from '#web/ui/time-zone.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { bucketText, rangeText } from './time-text.ts'

export function totalAt<V extends ChartValue>(series: readonly ChartSeries<V>[], at: number): V | null {
  return sum(series.map(({ values }) => values[at]))
}

/** Both ends are included. */
export function totalOf<V extends ChartValue>(
  series: readonly ChartSeries<V>[],
  [first, last]: readonly [number, number],
): V | null {
  return sum(series.map(({ values }) => sum(values.slice(first, last + 1))))
}

export function hasValues<V extends ChartValue>({ series, times }: TimeData<V>): boolean {
  return times.length > 0 && series.some(({ values }) => values.some((value) => value !== null))
}

export function valueText<V extends ChartValue>(value: V | null | undefined, format: Format<V>): string {
  return value === null || value === undefined ? 'no data' : format(value)
}

/** The next bucket's start is the end, because months differ in length. The last bucket ends after `stepMs`. */
export function endOf<V extends ChartValue>({ stepMs, times }: TimeData<V>, at: number): number {
  return times[at + 1] ?? (times[at] ?? 0) + stepMs
}

export function spanText<V extends ChartValue>(
  data: TimeData<V>,
  first = 0,
  last = data.times.length - 1,
): string {
  const from = data.times[first]
  if (from === undefined) return ''
  if (first === last) return bucketText(from, data.stepMs)
  return rangeText(from, endOf(data, last), data.stepMs)
}

export function summaryOf<V extends ChartValue>(
  data: TimeData<V>,
  {
    format,
    isSummed,
    label,
  }: { readonly label: string; readonly format: Format<V>; readonly isSummed: boolean },
): string {
  if (!hasValues(data)) return `${label}: no data in this range.`
  const span = `${label}, ${spanText(data)}.`
  const each = data.series.map((series) => {
    const known = series.values.filter((value) => value !== null)
    const [first] = known
    const last = known.at(-1)
    if (first === undefined || last === undefined) return `${series.name}: no data.`
    if (isSummed) return `${series.name}: ${format(known.reduce((a, b) => sum([a, b]) ?? a))} in total.`
    const low = known.reduce((a, b) => (b < a ? b : a))
    const high = known.reduce((a, b) => (b > a ? b : a))
    return `${series.name}: from ${format(first)} to ${format(last)}, lowest ${format(low)}, highest ${format(high)}.`
  })
  return [span, ...each].join(' ')
}

/** Includes sums if the values are additive. */
export function twinOf<V extends ChartValue>(
  data: TimeData<V>,
  {
    format,
    isSummed,
    previous,
  }: {
    readonly format: Format<V>
    readonly isSummed: boolean
    /** The previous period is not part of the total. */
    readonly previous?: ChartSeries<V> | undefined
  },
): TableTwin {
  const { series, stepMs, times } = data
  const withTotal = isSummed && series.length > 1
  return {
    heads: [
      `Time (${stepMs < dayMs && times[0] !== undefined ? zoneText(times[0]) : 'UTC'})`,
      ...series.map(({ name }) => name),
      ...(withTotal ? ['Total'] : []),
      ...(previous ? [previous.name] : []),
    ],
    rows: times.map((ms, n) => [
      bucketText(ms, stepMs),
      ...series.map(({ values }) => cellText(values[n], format)),
      ...(withTotal ? [cellText(totalAt(series, n), format)] : []),
      ...(previous ? [cellText(previous.values[n], format)] : []),
    ]),
    foot: isSummed
      ? [
          'Total',
          ...series.map(({ values }) => cellText(sum(values), format)),
          ...(withTotal ? [cellText(totalOf(series, [0, times.length - 1]), format)] : []),
          ...(previous ? [cellText(sum(previous.values), format)] : []),
        ]
      : undefined,
  }
}

function cellText<V extends ChartValue>(value: V | null | undefined, format: Format<V>): string {
  return value === null || value === undefined ? '–' : format(value)
}
