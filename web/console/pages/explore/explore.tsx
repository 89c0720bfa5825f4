import type { ReactNode } from 'react'
import { TimeSeries } from '#web/ui/charts/time-series.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { FilterBar } from '#web/ui/filter-bar.tsx'
import type { Filter } from '#web/ui/filter-suggestions.ts'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useFilters } from '../../filters-in-url.ts'
import { useBundleSlugs, useNames, useTagSlugs, useTeamSlugs } from '../../name-suggestions.ts'
import { useAllRows } from '../../load-all-rows.ts'
import { useRange } from '../../time-range.ts'
import { useSearchTexts } from '../../url-parameters.ts'
import { askedOf, faultOf } from './settings-in-explore-url.ts'
import { Controls } from './chart-controls.tsx'
import { ExploredTable } from './chart-numbers-table.tsx'
import { cumulated, inWeeks, type Explored } from './chart-series-of-groups.ts'
import { ExportUsage } from './export-usage.tsx'
import { SavedCharts } from './saved-charts-menu.tsx'
import { inputOf, useExplored } from './use-explored-series.ts'
import type { Asked } from './settings-in-explore-url.ts'

export default function Explore(): ReactNode {
  const [range, setRange] = useRange()
  const asked = askedOf(useSearchTexts())
  const filters = useFilters(useSeriesFilters())
  const fault = faultOf(asked)
  const input = inputOf(asked, range)
  return (
    <>
      <PageHead
        title="Explore"
        about="Chart usage by model, provider, bundle, end user or key. The groups always add up to the total."
        action={
          <>
            <CopyAs operation="usage.series" input={{ ...input }} />
            <SavedCharts />
            <ExportUsage range={range} />
          </>
        }
      />
      <div className="mb-6 flex flex-col gap-3">
        <Controls asked={asked} lengthMs={range.lengthMs} />
        <FilterBar {...filters} />
      </div>
      {fault !== null ? (
        <Note tone="held" title="This combination is not available">
          {fault}
        </Note>
      ) : (
        <Answer
          asked={asked}
          range={range}
          onRange={(fromMs, toMs) =>
            setRange({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
          }
        />
      )}
    </>
  )
}

function Answer({
  asked,
  onRange,
  range,
}: {
  readonly asked: Asked
  readonly range: ReturnType<typeof useRange>[0]
  readonly onRange: (fromMs: number, toMs: number) => void
}): ReactNode {
  const { before, data, error, isStale, isWhole, retry } = useExplored(asked, range)
  if (error && !data) return <FailureNote error={error} title="Usage can't be shown." onRetry={retry} />
  if (!data)
    return (
      <div aria-busy className="flex flex-col gap-8">
        <Skeleton className="h-91" />
        <Skeleton className="h-72" />
      </div>
    )
  if (data.total === null)
    return (
      <Note title={`${asked.metric.words}: not available for this selection`}>
        Daily values are available for all usage together, and by model, end user or key.
      </Note>
    )
  return (
    <div
      className={classNames('flex flex-col gap-8', isStale && 'opacity-60')}
      aria-busy={isStale || undefined}
    >
      {error !== null && error !== undefined && <FailureNote error={error} onRetry={retry} />}
      {!isWhole && (
        <Note tone="held" title="Only the newest usage is counted">
          The selection is too large. Choose a shorter range or a longer interval.
        </Note>
      )}
      <Chart asked={asked} data={data} before={before} onRange={onRange} />
      <ExploredTable asked={asked} data={data} before={before} rangeWords={range.words} />
    </div>
  )
}

function Chart({
  asked: { isCumulated, metric, rollup },
  before,
  data,
  onRange,
}: {
  readonly asked: Asked
  readonly data: Explored
  readonly before: readonly bigint[] | null
  readonly onRange: (fromMs: number, toMs: number) => void
}): ReactNode {
  const weeks = rollup === 'week' ? inWeeks(data.buckets) : null
  const { stepMs, times } = weeks?.buckets ?? data.buckets
  const drawn = (values: readonly (bigint | null)[]): readonly (bigint | null)[] => {
    const summed = weeks ? weeks.sums(values) : values
    return isCumulated ? cumulated(summed) : summed
  }
  return (
    <TimeSeries
      label={isCumulated ? `${metric.words}, cumulative` : metric.words}
      isHeading
      kind={isCumulated ? 'areas' : 'bars'}
      height={320}
      format={metric.format}
      times={times}
      stepMs={stepMs}
      series={
        data.total === 0n && data.shown.every(({ total }) => total === 0n)
          ? []
          : data.shown.map((one) => ({ ...one, values: drawn(one.values) }))
      }
      {...(before && {
        previous: {
          key: 'before',
          name: 'Previous period',
          values: padded(drawn(before.slice(0, data.buckets.times.length)), times.length),
        },
      })}
      onRange={onRange}
      empty={
        <div className="flex flex-col items-center gap-3">
          <p>No usage matches these filters.</p>
          <CommandLine operation="usage.series" />
        </div>
      }
    />
  )
}

function padded(values: readonly (bigint | null)[], length: number): readonly (bigint | null)[] {
  return Array.from({ length }, (_, n) => values[n] ?? null)
}

function useSeriesFilters(): readonly Filter[] {
  const names = useNames()
  const bundles = useBundleSlugs()
  const tags = useTagSlugs()
  const teams = useTeamSlugs()
  const providers = useAllRows('providers.list').data?.rows ?? []
  const same = (values: readonly string[]): readonly (readonly [string, string])[] =>
    values.map((value) => [value, value])
  return [
    { kind: 'text', name: 'model', label: 'Model', choices: same(names) },
    { kind: 'text', name: 'provider', label: 'Provider', choices: same(providers.map(({ label }) => label)) },
    { kind: 'text', name: 'bundle', label: 'Bundle', choices: same(bundles) },
    { kind: 'text', name: 'tag', label: 'Tag', choices: same(tags) },
    { kind: 'text', name: 'team', label: 'Team', choices: same(teams) },
    { kind: 'text', name: 'endUserId', label: 'End user', words: 'person customer' },
    { kind: 'text', name: 'keyId', label: 'Key', looksLike: /^key_/ },
  ]
}
