import type { ReactNode } from 'react'
import { Bars } from '#web/ui/charts/bars.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import type { FilterValues } from '#web/ui/filter-suggestions.ts'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { countText } from '#web/ui/number-text.ts'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import type { TimeRange } from '../../time-range.ts'
import { barsOf, histogramOf } from './data-of-requests-chart.ts'

const height = 120

export function Histogram({
  onRange,
  range,
  values,
}: {
  readonly range: TimeRange
  readonly values: FilterValues
  readonly onRange: (range: { readonly from: string; readonly to: string }) => void
}): ReactNode {
  const { input, unused } = histogramOf(values, range)
  const { data, error, refetch } = useAnswer('usage.series', input ?? {}, { isEnabled: input !== null })
  const nowMs = useNow(60_000)
  if (input === null)
    return (
      <p className="mb-6 min-h-60 phone:min-h-50 border-y border-line py-3 text-13 text-ink-2">
        Requests of one end user or key are counted by day. Choose a range of at least two days to see a
        chart.
      </p>
    )
  return (
    <section className="mb-6" aria-label="Requests over time">
      {/* Reserve the height of the chart to avoid layout shift. */}
      <div className="min-h-60 phone:min-h-50">
        {error !== null && (
          <FailureNote
            error={error}
            title="Requests over time couldn't be loaded."
            onRetry={() => void refetch()}
          />
        )}
        {error === null && !data && <Skeleton className="h-60 phone:h-50" />}
        {data && (
          <Bars
            {...barsOf(data)}
            label={data.all.totals.calls === null ? 'Charged requests' : 'Requests'}
            format={(count) => countText(count)}
            height={height}
            nowMs={nowMs}
            empty="No requests in this range."
            onRange={(fromMs, toMs) =>
              onRange({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
            }
          />
        )}
      </div>
      {unused.length > 0 && (
        <p className="mt-1 text-13 text-ink-3">
          The chart ignores these filters: {unused.join(', ')}. The table applies these filters.
        </p>
      )}
      {data?.isWhole === false && (
        <p className="mt-1 text-13 text-ink-3">
          There are too many requests to count. The chart shows only the newest requests.
        </p>
      )}
    </section>
  )
}
