import type { ReactNode } from 'react'
import { csvLine } from '#safe-text/csv.ts'
import { Button } from '#web/ui/button.tsx'
import { download } from '#web/ui/download.ts'
import { Money, Count, Nothing, Percent } from '#web/ui/formatted-values.tsx'
import type { CallSearch } from '../../calls/request-filters.ts'
import { Go } from '../../shell/console-links.tsx'
import { changeOf, groupName, partOf } from '../../chart-usage-series.ts'
import type { Asked } from './settings-in-explore-url.ts'
import type { Explored, Shown } from './chart-series-of-groups.ts'
import { dimensions, type Dimension, type Metric } from './metrics-and-dimensions.ts'

const head = 'h-9 border-b border-line px-2 text-13 font-medium text-ink-3 first:pl-0 last:pr-0'
const cell = 'h-9 border-b border-line px-2 first:pl-0 last:pr-0'

/** The request list has no filter for bundles. */
const requestFilter: Readonly<Record<Dimension, keyof CallSearch | null>> = {
  model: 'model',
  provider: 'provider',
  bundle: null,
  endUser: 'user',
  key: 'key',
  team: 'team',
}

export function ExploredTable({
  asked,
  before,
  data,
  rangeWords,
}: {
  readonly asked: Asked
  readonly data: Explored
  readonly before: readonly bigint[] | null
  readonly rangeWords: string
}): ReactNode {
  const { by, metric, second } = asked
  const dimensionsShown = [by, second].filter((one) => one !== null)
  const whole = data.total ?? 0n
  const hasLosses = data.shown.some(({ total }) => total < 0n)
  const earlier = before?.reduce((sum, value) => sum + value, 0n)
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-end justify-between gap-3">
        <h2 className="text-16 font-semibold">
          {metric.words}, {rangeWords.toLowerCase()}
        </h2>
        <Button size="small" kind="quiet" onClick={() => save(asked, data)}>
          Download CSV
        </Button>
      </div>
      <div className="overflow-x-auto">
        <table aria-label={`${metric.words} by group`} className="figures w-full border-collapse text-14">
          <thead>
            <tr>
              {dimensionsShown.length === 0 && (
                <th scope="col" className={`${head} text-left`}>
                  Usage
                </th>
              )}
              {dimensionsShown.map((one) => (
                <th key={one} scope="col" className={`${head} text-left`}>
                  {wordsOf(one)}
                </th>
              ))}
              <th scope="col" className={`${head} text-right`}>
                Share
              </th>
              <th scope="col" className={`${head} text-right`}>
                {metric.words}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.shown.map((one) => (
              <tr key={one.key} data-group={one.isOther ? 'other' : one.groups.map(groupName).join(' ')}>
                <GroupCells shown={one} dimensionsShown={dimensionsShown} />
                <td className={`${cell} text-right text-ink-2`}>
                  <Percent
                    part={hasLosses ? null : partOf(one.total, whole)}
                    reason={
                      hasLosses
                        ? 'No share, because some values are negative'
                        : 'No share, because the total is 0'
                    }
                  />
                </td>
                <td className={`${cell} text-right`}>
                  <Value metric={metric} value={one.total} />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot className="font-medium">
            <tr data-group="all">
              <th
                scope="row"
                colSpan={Math.max(dimensionsShown.length, 1)}
                className={`${cell} text-left font-medium`}
              >
                Total
              </th>
              <td className={cell} />
              <td className={`${cell} text-right`}>
                <Value metric={metric} value={whole} />
              </td>
            </tr>
            {earlier !== undefined && (
              <tr data-group="before" className="font-normal text-ink-2">
                <th
                  scope="row"
                  colSpan={Math.max(dimensionsShown.length, 1)}
                  className={`${cell} text-left font-normal`}
                >
                  Previous period, complete intervals only
                </th>
                <td className={`${cell} text-right`}>
                  <Change part={changeOf(whole, earlier)} />
                </td>
                <td className={`${cell} text-right`}>
                  <Value metric={metric} value={earlier} />
                </td>
              </tr>
            )}
          </tfoot>
        </table>
      </div>
    </section>
  )
}

function GroupCells({
  dimensionsShown,
  shown,
}: {
  readonly shown: Shown
  readonly dimensionsShown: readonly Dimension[]
}): ReactNode {
  if (shown.isOther || dimensionsShown.length === 0)
    return (
      <th
        scope="row"
        colSpan={Math.max(dimensionsShown.length, 1)}
        className={`${cell} text-left font-normal text-ink-2`}
      >
        {shown.name}
      </th>
    )
  const search = requestSearch(shown, dimensionsShown)
  return dimensionsShown.map((dimension, at) => {
    const group = shown.groups[at]
    const name =
      group === undefined ? (
        <Nothing reason="No subgroups" />
      ) : (
        <bdi title={groupName(group)}>{groupName(group)}</bdi>
      )
    const inside =
      at === 0 && search !== null ? (
        <Go to="/requests" search={search} className="hover:underline">
          {name}
        </Go>
      ) : (
        name
      )
    const look = `${cell} max-w-64 truncate text-left font-normal`
    return at === 0 ? (
      <th key={dimension} scope="row" className={look}>
        {inside}
      </th>
    ) : (
      <td key={dimension} className={look}>
        {inside}
      </td>
    )
  })
}

function requestSearch(
  { groups }: Shown,
  dimensionsShown: readonly Dimension[],
): Readonly<Record<string, string>> | null {
  const search: Record<string, string> = {}
  for (const [at, dimension] of dimensionsShown.entries()) {
    const filter = requestFilter[dimension]
    const group = groups[at]
    if (filter === null || group === null) return null
    if (group !== undefined) search[filter] = group
  }
  return search
}

function Value({ metric, value }: { readonly metric: Metric; readonly value: bigint }): ReactNode {
  return metric.isMoney ? <Money micros={value} aligned /> : <Count of={value} />
}

function Change({ part }: { readonly part: number | null }): ReactNode {
  if (part === null) return <Nothing reason="No usage in the previous period" />
  return (
    <span className="whitespace-nowrap">
      {part > 0 && '+'}
      <Percent part={part} />
    </span>
  )
}

const wordsOf = (dimension: Dimension): string =>
  dimensions.find(([one]) => one === dimension)?.[1] ?? dimension

/** Amounts are in micros. */
function save({ by, metric, second }: Asked, { buckets, shown }: Explored): void {
  const lines = [
    csvLine(['time', ...shown.map(({ name }) => name)]),
    ...buckets.times.map((ms, n) =>
      csvLine([new Date(ms).toISOString(), ...shown.map(({ values }) => values[n])]),
    ),
  ]
  download(`${[metric.id, by, second].filter(Boolean).join('-by-')}.csv`, lines.join(''), 'text/csv')
}
