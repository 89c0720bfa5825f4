import type { ReactNode } from 'react'
import type { UsageSeries } from '#sdk/generated/types.ts'
import { TimeSeries } from '#web/ui/charts/time-series.tsx'
import { countText, durationText } from '#web/ui/number-text.ts'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count } from '#web/ui/formatted-values.tsx'
import type { CallSearch } from '../../calls/request-filters.ts'
import { Go } from '../../shell/console-links.tsx'
import { bucketsOf, valuesOf, type FailureClass } from '../../chart-usage-series.ts'

const classes: readonly (readonly [FailureClass, words: string, statusClass: string])[] = [
  ['client', 'Client', '4xx'],
  ['limit', 'Limit', '4xx'],
  ['provider', 'Provider', '5xx'],
  ['ours', 'Gateway', '5xx'],
]

export function LatencyAndFailures({
  latencyDaysMax,
  onRange,
  series,
}: {
  readonly series: UsageSeries | undefined
  readonly onRange: (fromMs: number, toMs: number) => void
  readonly latencyDaysMax: number
}): ReactNode {
  return (
    <div className="grid gap-x-12 wide:grid-cols-2">
      <section className="mb-12">
        {!series ? (
          <Skeleton className="h-66" />
        ) : series.latency ? (
          <Latency series={series} onRange={onRange} />
        ) : (
          <p className="text-14 text-ink-2">
            Latencies are available for ranges up to {latencyDaysMax} days. Choose a shorter range.
          </p>
        )}
      </section>
      <section className="mb-12">
        {series ? <Failures series={series} onRange={onRange} /> : <Skeleton className="h-66" />}
      </section>
    </div>
  )
}

interface ChartProps {
  readonly series: UsageSeries
  readonly onRange: (fromMs: number, toMs: number) => void
}

function Latency({ onRange, series }: ChartProps): ReactNode {
  const buckets = bucketsOf(series)
  const lines = [
    ['p95', 'p95, full response', 'latencyMs', 'p95Ms'],
    ['p50', 'p50, full response', 'latencyMs', 'p50Ms'],
    ['p95 first', 'p95, first byte', 'firstByteMs', 'p95Ms'],
    ['p50 first', 'p50, first byte', 'firstByteMs', 'p50Ms'],
  ] as const
  return (
    <TimeSeries
      isHeading
      label="Latency"
      unit="maximum for 50 % (p50) and 95 % (p95) of requests"
      kind="lines"
      format={durationText}
      {...buckets}
      series={lines
        .filter(([, , span]) => series.latencyTotals?.[span].p95Ms !== null)
        .map(([key, name, span, percentile]) => ({
          key,
          name,
          values: valuesOf(buckets, series.latency ?? [], {
            of: (point): number | null => point[span][percentile],
            nothing: null,
          }),
        }))}
      onRange={onRange}
    />
  )
}

function Failures({ onRange, series }: ChartProps): ReactNode {
  const buckets = bucketsOf(series)
  const { failed } = series.all.totals
  return (
    <>
      <TimeSeries
        isHeading
        label="Failures"
        unit="by cause; “Limit” means that a money or rate limit rejected the request"
        kind="bars"
        format={countText}
        {...buckets}
        series={classes.map(([key, name], n) => ({
          key,
          name,
          slot: n + 1,
          values: valuesOf(buckets, series.all.points, {
            of: (point): number | null => point.failed?.[key] ?? null,
            nothing: 0,
          }),
        }))}
        onRange={onRange}
      />
      <ul
        aria-label="Failures in this range"
        className="mt-3 flex flex-wrap gap-x-6 gap-y-1 border-t border-line pt-3 text-13 text-ink-2"
      >
        <li className="py-0.5">In this range:</li>
        {classes.map(([key, words, statusClass]) => (
          <li key={key}>
            <Go
              to="/requests"
              search={{ answer: statusClass } satisfies CallSearch}
              className="inline-block min-h-6 py-0.5 hover:underline"
            >
              {words}{' '}
              <span className="font-medium text-ink">
                <Count of={failed?.[key]} />
              </span>
            </Go>
          </li>
        ))}
      </ul>
    </>
  )
}
