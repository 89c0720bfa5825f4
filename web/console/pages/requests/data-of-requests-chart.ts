import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import type { UsageSeriesInput } from '#sdk/generated/usage.ts'
import type { UsageSeries } from '#sdk/generated/types.ts'
import type { ChartSeries, TimeData } from '#web/ui/charts/chart-data.ts'
import type { FilterValues } from '#web/ui/filter-suggestions.ts'
import type { TimeRange } from '../../time-range.ts'
import { bucketsOf, valuesOf, type SeriesPoint } from '../../chart-usage-series.ts'

/** In a range of a week, a bucket is an hour, so that a single bad hour is visible. */
function bucketOf(lengthMs: number): 'minute' | 'hour' | 'day' {
  if (lengthMs <= 3 * hourMs) return 'minute'
  return lengthMs <= 10 * dayMs ? 'hour' : 'day'
}

export interface Histogrammed {
  /** Null if there is no chart, because requests are counted by day and the range is shorter than two days. */
  readonly input: UsageSeriesInput | null
  /** Empty if the chart matches the table. */
  readonly unused: readonly string[]
}

/** For a single end user or key, the server stores only the numbers of charged requests per day. */
export function histogramOf(values: FilterValues, { from, lengthMs, to }: TimeRange): Histogrammed {
  const { answer, cost, error, http, key, model, outcome, provider, run, status, user } = values
  const isOfPerson = user !== undefined || key !== undefined
  const unused = [
    status !== undefined && 'status',
    answer !== undefined && 'response',
    http !== undefined && 'HTTP status',
    outcome !== undefined && 'outcome',
    run !== undefined && 'run',
    error !== undefined && 'error code',
    cost !== undefined && 'cost',
    isOfPerson && provider !== undefined && 'provider',
  ].filter((words) => words !== false)
  if (isOfPerson && lengthMs < 2 * dayMs) return { input: null, unused }
  const input = {
    from,
    to,
    bucket: isOfPerson ? 'day' : bucketOf(lengthMs),
    ...(user !== undefined && { endUserId: user }),
    ...(key !== undefined && { keyId: key }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && !isOfPerson && { provider }),
  } as const
  return { input, unused }
}

/** The last value is the number of a fixed color. */
const failures = [
  ['client', 'client error or disconnect', 7],
  ['limit', 'rejected by a limit', 3],
  ['provider', 'provider error', 6],
  ['ours', 'gateway error', 4],
] as const

export function barsOf({ all, bucket, from, to }: UsageSeries): TimeData<number> {
  const buckets = bucketsOf({ bucket, from, to })
  const at = (of: (point: SeriesPoint) => number): readonly number[] =>
    valuesOf(buckets, all.points, { of, nothing: 0 })
  const isCharged = all.totals.calls === null
  const wellNamed = isCharged ? 'charged' : 'successful'
  const well: ChartSeries<number> = {
    key: 'well',
    name: wellNamed,
    slot: 2,
    values: at(({ calls, chargedCalls, failed }) =>
      calls === null || failed === null
        ? chargedCalls
        : calls - failed.client - failed.limit - failed.provider - failed.ours,
    ),
  }
  const bad = failures.map(([key, name, slot]): ChartSeries<number> => ({
    key,
    name,
    slot,
    values: at(({ failed }) => failed?.[key] ?? 0),
  }))
  return { ...buckets, series: [well, ...bad.filter(({ values }) => values.some((value) => value !== 0))] }
}
