import { useQueries } from '@tanstack/react-query'
import type { UsageSeriesInput } from '#sdk/generated/usage.ts'
import type { UsageSeries } from '#sdk/generated/types.ts'
import { call, useAnswer } from '../../operations/use-operation.ts'
import type { TimeRange } from '../../time-range.ts'
import { scopeOptions, useScope } from '../../application-and-mode.ts'
import { bucketsOf, valuesOf } from '../../chart-usage-series.ts'
import type { Asked } from './settings-in-explore-url.ts'
import { explored, type Explored } from './chart-series-of-groups.ts'
import { filterOf } from './metrics-and-dimensions.ts'

export interface Answered {
  readonly data: Explored | null
  /** Null if the previous period was not requested, or is not loaded yet. */
  readonly before: readonly bigint[] | null
  readonly isWhole: boolean
  readonly isStale: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** Only the largest groups are shown. */
const groupsMax = 20

export function useExplored(asked: Asked, range: TimeRange): Answered {
  const scope = useScope()
  const input = inputOf(asked, range)
  const base = useAnswer('usage.series', input)
  const groups =
    asked.by === null || asked.second === null ? [] : (base.data?.groups ?? []).slice(0, asked.top)
  const inner = useQueries({
    queries: groups.map(({ group }) => {
      const within = { ...input, by: asked.second ?? undefined, [filterOf[asked.by ?? 'model']]: group ?? '' }
      return {
        queryKey: ['usage', 'series', within, scope],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<UsageSeries> =>
          call('usage.series', within, { ...scopeOptions(scope), signal }),
        // No filter selects a group without a name, so it cannot be divided by the second grouping.
        enabled: group !== null && !base.isPlaceholderData,
      }
    }),
  })
  const earlier = useAnswer(
    'usage.series',
    { ...input, ...range.before, by: undefined },
    { isEnabled: asked.isCompared },
  )
  const isInnerPending = inner.some(({ fetchStatus, isPending }) => isPending && fetchStatus === 'fetching')
  const isReady = base.data !== undefined && !isInnerPending
  return {
    data: isReady
      ? explored({
          base: base.data,
          within: inner.map(({ data }) => data),
          metric: asked.metric,
          top: asked.top,
        })
      : null,
    before:
      asked.isCompared && earlier.data && !earlier.isPlaceholderData ? wholeOf(earlier.data, asked) : null,
    isWhole: [base.data, ...inner.map(({ data }) => data)].every((one) => one?.isWhole !== false),
    isStale: base.isPlaceholderData,
    error: base.error ?? inner.find(({ error }) => error)?.error ?? earlier.error,
    retry: () => void Promise.all([base.refetch(), ...inner.map(({ refetch }) => refetch())]),
  }
}

export function inputOf(
  { by, filters, metric, rollup }: Asked,
  range: Pick<TimeRange, 'from' | 'to'>,
): UsageSeriesInput {
  return {
    from: range.from,
    to: range.to,
    ...(rollup !== null && { bucket: rollup === 'week' ? 'day' : rollup }),
    ...(by !== null && { by, top: groupsMax, order: metric.order }),
    ...filters,
  }
}

function wholeOf(answer: UsageSeries, { metric }: Asked): readonly bigint[] {
  return valuesOf(bucketsOf(answer), answer.all.points, {
    of: (point) => metric.of(point) ?? 0n,
    nothing: 0n,
  })
}
