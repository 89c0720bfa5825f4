import type { ReactNode } from 'react'
import type { UsageSeries } from '#sdk/generated/types.ts'
import type { ChartValue, Format } from '#web/ui/charts/chart-data.ts'
import { Sparkline } from '#web/ui/charts/sparkline.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { Figure, Figures } from '#web/ui/page-head-and-sections.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { countText, durationText, percentText } from '#web/ui/number-text.ts'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Duration, Money, Percent } from '#web/ui/formatted-values.tsx'
import type { CallSearch } from '../../calls/request-filters.ts'
import { Go } from '../../shell/console-links.tsx'
import {
  bucketsOf,
  changeOf,
  failedOf,
  earnedOf,
  marginOf,
  partOf,
  valuesOf,
  type SeriesPoint,
  type SeriesTotals,
} from '../../chart-usage-series.ts'

export function KeyFigures({
  before,
  isStale,
  rangeWords,
  series,
}: {
  readonly series: UsageSeries | undefined
  readonly before: UsageSeries | undefined
  readonly rangeWords: string
  readonly isStale: boolean
}): ReactNode {
  if (!series) {
    return (
      <Figures>
        {names.map((name) => (
          <Figure
            key={name}
            name={name}
            value={<Skeleton className="h-6.5 w-24" />}
            change={<Skeleton className="h-5 w-32" />}
          />
        ))}
      </Figures>
    )
  }
  const { totals } = series.all
  const earlier = before?.all.totals
  const failures = failedOf(totals)
  const rate = rateOf(totals)
  // Non-streaming responses have no separate time to the first byte.
  const span = series.latencyTotals?.firstByteMs.p95Ms === null ? 'latencyMs' : 'firstByteMs'
  const p95 = series.latencyTotals?.[span].p95Ms
  const earlierP95 = before?.latencyTotals?.[span].p95Ms
  const marginPart = partOf(marginOf(totals), earnedOf(totals))
  const earlierMarginPart = earlier && partOf(marginOf(earlier), earnedOf(earlier))
  // The list can filter by only one status class.
  const failedClass =
    totals.failed && totals.failed.provider + totals.failed.ours > totals.failed.client + totals.failed.limit
      ? '5xx'
      : '4xx'
  return (
    <div className={classNames(isStale && 'opacity-60')} aria-busy={isStale || undefined}>
      <p className="sr-only">{rangeWords}, compared with the previous period of the same length</p>
      <Figures>
        <Figure
          name="List value"
          value={
            <Go
              to="/requests"
              search={{ status: 'settled' } satisfies CallSearch}
              className="hover:underline"
            >
              <Money micros={totals.billedMicros} data-figure="billed" />
            </Go>
          }
          change={
            <Change
              now={BigInt(totals.billedMicros)}
              before={earlier && BigInt(earlier.billedMicros)}
              format={moneyText}
            />
          }
          spark={<Spark series={series} label="List value" of={billed} format={moneyText} />}
        />
        <Figure
          name="Provider cost"
          value={
            <Go to="/requests" search={{ cost: '1' } satisfies CallSearch} className="hover:underline">
              <Money micros={totals.costMicros} data-figure="cost" />
            </Go>
          }
          change={
            <Change
              now={BigInt(totals.costMicros)}
              before={earlier && BigInt(earlier.costMicros)}
              format={moneyText}
            />
          }
          spark={<Spark series={series} label="Provider cost" of={cost} format={moneyText} />}
        />
        <Figure
          name="Margin of requests"
          value={
            <Go
              to="/margin"
              className="hover:underline"
              title={`${moneyText(marginOf(totals))} of paid credit and on-demand usage. Subscriptions are on the Margin page.`}
            >
              <Percent part={marginPart} reason="No paid credit or on-demand usage" />
            </Go>
          }
          change={
            marginPart === null ? (
              <span className="text-ink-3">no paid usage</span>
            ) : (
              <Points now={marginPart} before={earlierMarginPart} />
            )
          }
          spark={<Spark series={series} label="Margin" of={marginOf} format={moneyText} />}
        />
        <Figure
          name="Requests"
          value={
            <Go to="/requests" className="hover:underline">
              <Count of={totals.calls} />
            </Go>
          }
          change={<Change now={totals.calls ?? 0} before={earlier?.calls ?? undefined} format={countText} />}
          spark={<Spark series={series} label="Requests" of={calls} format={countText} />}
        />
        <Figure
          name="Error rate"
          value={
            <Go
              to="/requests"
              search={{ answer: failedClass } satisfies CallSearch}
              className="hover:underline"
              title={`${countText(failures ?? 0)} of ${countText(totals.calls ?? 0)} requests failed`}
            >
              <Percent part={rate} reason="No requests" />
            </Go>
          }
          change={<Points now={rate} before={earlier && rateOf(earlier)} />}
          spark={
            <Spark
              series={series}
              label="Error rate in tenths of a percent"
              of={(point) => Math.round((rateOf(point) ?? 0) * 1000)}
              format={(value) => percentText(value / 1000)}
            />
          }
        />
        <Figure
          name={
            span === 'firstByteMs' ? (
              <span title="95 of 100 responses started within this time">p95 to first byte</span>
            ) : (
              <span title="95 of 100 requests finished within this time">p95 full response</span>
            )
          }
          value={
            <Go to="/requests" className="hover:underline">
              <Duration
                ms={p95}
                reason={
                  series.latencyTotals ? 'No responses' : 'Latencies are available for ranges up to 31 days'
                }
              />
            </Go>
          }
          change={<Change now={p95 ?? undefined} before={earlierP95 ?? undefined} format={durationText} />}
          spark={<LatencySpark series={series} span={span} />}
        />
      </Figures>
    </div>
  )
}

const names = [
  'List value',
  'Provider cost',
  'Margin of requests',
  'Requests',
  'Error rate',
  'p95 to first byte',
]

const billed = ({ billedMicros }: SeriesPoint): bigint => BigInt(billedMicros)
const cost = ({ costMicros }: SeriesPoint): bigint => BigInt(costMicros)
const calls = (point: SeriesPoint): number => point.calls ?? 0

function rateOf(totals: SeriesTotals): number | null {
  const failures = failedOf(totals)
  return failures === null || !totals.calls ? null : failures / totals.calls
}

function Change<V extends ChartValue>({
  before,
  format,
  now,
}: {
  readonly now: V | undefined
  readonly before: V | undefined
  readonly format: Format<V>
}): ReactNode {
  if (now === undefined || before === undefined) return <span className="w-16 text-ink-3">–</span>
  const part = changeOf(now, before)
  const words =
    part === null
      ? Number(now) === 0
        ? 'no change'
        : 'new'
      : part === 0
        ? 'no change'
        : signed(percentText(part))
  return (
    <span className="figures min-w-16 whitespace-nowrap" title={`${format(before)} in the previous period`}>
      {words}
    </span>
  )
}

/** The change in percentage points. */
function Points({
  before,
  now,
}: {
  readonly now: number | null
  readonly before: number | null | undefined
}): ReactNode {
  if (now === null || before === null || before === undefined)
    return <span className="w-16 text-ink-3">–</span>
  const tenths = Math.round(now * 1000) - Math.round(before * 1000)
  return (
    <span
      className="figures min-w-16 whitespace-nowrap"
      title={`${percentText(before)} in the previous period`}
    >
      {tenths === 0
        ? 'no change'
        : `${tenths > 0 ? '+' : '\u2212'}${(Math.abs(tenths) / 10).toFixed(1)} points`}
    </span>
  )
}

const signed = (text: string): string => (text.startsWith('\u2212') ? text : `+${text}`)

function Spark<V extends ChartValue>({
  format,
  label,
  of,
  series,
}: {
  readonly series: UsageSeries
  readonly label: string
  readonly of: (point: SeriesPoint) => V
  readonly format: Format<V>
}): ReactNode {
  const buckets = bucketsOf(series)
  const zero = (series.all.points[0] && typeof of(series.all.points[0]) === 'bigint' ? 0n : 0) as V
  return (
    <Sparkline
      label={label}
      values={valuesOf(buckets, series.all.points, { of, nothing: zero })}
      format={format}
    />
  )
}

function LatencySpark({
  series,
  span,
}: {
  readonly series: UsageSeries
  readonly span: 'firstByteMs' | 'latencyMs'
}): ReactNode {
  const values = valuesOf(bucketsOf(series), series.latency ?? [], {
    of: (point): number | null => point[span].p95Ms,
    nothing: null,
  })
  return <Sparkline label="p95" values={values} format={durationText} />
}
