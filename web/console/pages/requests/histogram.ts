/** What the picture over the table shows: calls by bucket, and by how they went. */
import type { UsageSeriesInput } from '#sdk/generated/usage.ts'
import type { UsageSeries } from '#sdk/generated/types.ts'
import type { ChartSeries, TimeData } from '#web/ui/charts/chart-value.ts'
import type { FilterValues } from '#web/ui/filter-offers.ts'
import type { TimeRange } from '../../range.ts'
import { bucketsOf, valuesOf, type SeriesPoint } from '../../usage-series.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Fine enough to see a bad hour of a week. */
function bucketOf(lengthMs: number): 'minute' | 'hour' | 'day' {
  if (lengthMs <= 3 * hourMs) return 'minute'
  return lengthMs <= 10 * dayMs ? 'hour' : 'day'
}

export interface Histogrammed {
  /** Null: such calls are counted by day, and the range is too short for that. */
  readonly input: UsageSeriesInput | null
  /** Filters that the chart ignores, in words. Empty if the chart matches the table. */
  readonly unused: readonly string[]
}

/** People and keys have days of charged calls; what only rows have is told. */
export function histogramOf(values: FilterValues, { from, lengthMs, to }: TimeRange): Histogrammed {
  const { answer, cost, error, http, key, model, outcome, provider, run, status, user } = values
  const isOfPerson = user !== undefined || key !== undefined
  const unused = [
    status !== undefined && 'the state',
    answer !== undefined && 'the answer',
    http !== undefined && 'the HTTP status',
    outcome !== undefined && 'the outcome',
    run !== undefined && 'the run',
    error !== undefined && 'the error code',
    cost !== undefined && 'the cost',
    isOfPerson && provider !== undefined && 'the provider',
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

/** Slots keep each outcome its colour, whichever others there are. */
const failures = [
  ['client', 'wrong request, or left', 7],
  ['limit', 'refused by a limit', 3],
  ['provider', 'provider failed', 6],
  ['ours', 'server failed', 4],
] as const

export function barsOf({ all, bucket, from, to }: UsageSeries): TimeData<number> {
  const buckets = bucketsOf({ bucket, from, to })
  const at = (of: (point: SeriesPoint) => number): readonly number[] =>
    valuesOf(buckets, all.points, { of, nothing: 0 })
  const isCharged = all.totals.calls === null
  const wellNamed = isCharged ? 'charged' : 'went well'
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
