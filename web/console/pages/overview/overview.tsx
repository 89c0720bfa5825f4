import type { ReactNode } from 'react'
import { dayMs } from '#money/periods-and-windows.ts'
import { TimeSeries } from '#web/ui/charts/time-series.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useRange } from '../../time-range.ts'
import { bucketsOf, groupSeries, valuesOf } from '../../chart-usage-series.ts'
import { FirstCall } from './no-requests-yet.tsx'
import { LatencyAndFailures } from './latency-and-failures.tsx'
import { KeyFigures } from './key-figures.tsx'
import { ModelsBySpend } from './models-by-spend.tsx'
import { NeedsAttention } from './list-of-open-problems.tsx'

const latencyDaysMax = 31

export default function Overview(): ReactNode {
  const [range, setRange] = useRange()
  const latency = range.lengthMs <= (latencyDaysMax - 1) * dayMs
  const input = { from: range.from, to: range.to, by: 'model', top: 7 } as const
  const series = useAnswer('usage.series', { ...input, ...(latency && { latency }) })
  const before = useAnswer('usage.series', { ...range.before, ...(latency && { latency }) })
  const onRange = (fromMs: number, toMs: number): void =>
    setRange({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
  const { data } = series
  const isNothing = data !== undefined && !series.isPlaceholderData && data.all.totals.calls === 0
  return (
    <>
      <PageHead
        title="Overview"
        about="Usage of your end users, your provider cost, and the health of requests."
        action={<CopyAs operation="usage.series" input={input} />}
      />
      {series.error && !data ? (
        <FailureNote
          error={series.error}
          title="The overview couldn't be loaded."
          onRetry={() => void series.refetch()}
        />
      ) : isNothing ? (
        <FirstCall />
      ) : (
        <>
          <KeyFigures
            series={data}
            before={before.data}
            rangeWords={range.words}
            isStale={series.isPlaceholderData}
          />
          <section className="mb-12">
            {data ? <ListValueAndCost series={data} onRange={onRange} /> : <Skeleton className="h-66" />}
          </section>
          <div className="grid gap-x-12 wide:min-h-88 wide:grid-cols-2">
            <ModelsBySpend series={data} />
            <NeedsAttention />
          </div>
          <section className="mb-12">
            {data ? (
              <TimeSeries
                isHeading
                label="Charges by model"
                unit="amounts charged to end users"
                kind="bars"
                format={moneyText}
                {...bucketsOf(data)}
                series={groupSeries(data, {
                  of: ({ chargeMicros }) => BigInt(chargeMicros),
                  nothing: 0n,
                }).filter(({ values }) => values.some((value) => value !== 0n))}
                onRange={onRange}
              />
            ) : (
              <Skeleton className="h-66" />
            )}
          </section>
          <LatencyAndFailures series={data} onRange={onRange} latencyDaysMax={latencyDaysMax} />
        </>
      )}
    </>
  )
}

function ListValueAndCost({
  onRange,
  series,
}: {
  readonly series: Parameters<typeof bucketsOf>[0] & Parameters<typeof groupSeries>[0]
  readonly onRange: (fromMs: number, toMs: number) => void
}): ReactNode {
  const buckets = bucketsOf(series)
  return (
    <TimeSeries
      isHeading
      label="List value and provider cost"
      unit="list value is usage at your sell prices"
      kind="lines"
      format={moneyText}
      {...buckets}
      series={[
        {
          key: 'billed',
          name: 'List value',
          values: valuesOf(buckets, series.all.points, {
            of: ({ billedMicros }) => BigInt(billedMicros),
            nothing: 0n,
          }),
        },
        {
          key: 'cost',
          name: 'Provider cost',
          values: valuesOf(buckets, series.all.points, {
            of: ({ costMicros }) => BigInt(costMicros),
            nothing: 0n,
          }),
        },
      ]}
      gap={{ upper: 'billed', lower: 'cost', name: 'Difference' }}
      onRange={onRange}
    />
  )
}
