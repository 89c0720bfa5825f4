import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import type { MarginOutput } from '#sdk/generated/operations.ts'
import type { MarginRow } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { csvLine, numeral } from '#safe-text/csv.ts'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { download } from '#web/ui/download.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead, Section } from '#web/ui/page-head-and-sections.tsx'
import { Empty, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Money, Nothing } from '#web/ui/formatted-values.tsx'
import { allRowsQuery } from '../../load-all-rows.ts'
import { useAnswer, useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { amountIn, type MoneyName, moneyNames } from '../../request-money-figures.ts'
import { useRange } from '../../time-range.ts'
import { useScope } from '../../application-and-mode.ts'
import { useSearchText } from '../../url-parameters.ts'
import type { CallSearch } from '../../calls/request-filters.ts'
import { Go, UserLink } from '../../shell/console-links.tsx'
import { UnprofitableEndUsers } from './unprofitable-end-users.tsx'
import { MarginSteps } from './steps-from-revenue-to-margin.tsx'
import { UnpricedSources } from './unpriced-sources.tsx'
import { WhatIf } from './margin-at-typed-prices.tsx'
import { marginAt, percentAt, tenthsOfText } from './calculate-margin-at-prices.ts'

const groups = [
  ['model', 'Model'],
  ['bundle', 'Bundle'],
  ['endUser', 'End user'],
  ['provider', 'Provider'],
  ['day', 'Day'],
  ['key', 'Key'],
  ['run', 'Run'],
  ['tag', 'Tag'],
  ['team', 'Team'],
] as const
type Group = (typeof groups)[number][0]

export default function Margin(): ReactNode {
  const [range] = useRange()
  const [asked, setBy] = useSearchText('by')
  const [change, setChange] = useSearchText('rise')
  const by = groups.find(([one]) => one === asked)?.[0] ?? 'model'
  const days = { from: range.from, to: range.to }
  const doctor = useAnswer('doctor', {})
  const whole = useAnswer('margin', { by: 'day', limit: 1, ...days })
  const list = useRows('margin', { by, limit: 100, ...days })
  const tenths = change === null ? null : tenthsOfText(change)
  const totals = whole.data?.totals
  return (
    <>
      <PageHead
        title="Margin"
        about="Revenue from subscriptions, paid credit and on-demand usage, minus provider cost."
        action={<CopyAs operation="margin" input={{ by, ...days }} />}
      />
      {/* Wait until the note about missing prices has loaded, to avoid layout shift. */}
      {doctor.isPending ? (
        <StepsSkeleton />
      ) : (
        <>
          <UnpricedSources findings={doctor.data?.findings ?? []} totals={totals} />
          {whole.error && !whole.data ? (
            <FailureNote
              error={whole.error}
              title="The margin can't be shown."
              onRetry={() => void whole.refetch()}
            />
          ) : !whole.data || !totals ? (
            <StepsSkeleton />
          ) : (
            <div className="mb-12 grid gap-x-12 gap-y-8 wide:grid-cols-[3fr_2fr]">
              <MarginSteps margin={whole.data} />
              <WhatIf totals={totals} change={change} onChange={setChange} />
            </div>
          )}
          <Section title="Breakdown" action={<DownloadCsv by={by} days={days} />}>
            {by === 'tag' && (
              <p className="mb-3 text-13 text-ink-2">
                A request is counted in each of its tags, so the sum of the rows can exceed the total.
              </p>
            )}
            <DataTable
              label={`Margin by ${groupWords(by).toLowerCase()}`}
              name={`margin ${by}`}
              columns={columnsOf(by, tenths, change)}
              rows={{ ...list, rows: whole.data && list.rows }}
              rowKey={groupOf}
              tools={<Segments label="By" value={by} options={groups} onChange={setBy} />}
              {...(totals && { foot: footOf(totals) })}
              empty={
                <Empty
                  title="No charged requests in this range"
                  command={<CommandLine operation="margin" input={{ by, ...days }} />}
                >
                  <p>Revenue and cost appear here after the first charged request.</p>
                </Empty>
              }
            />
          </Section>
          <UnprofitableEndUsers days={days} />
        </>
      )}
    </>
  )
}

const hasSubscriptions = (by: Group): boolean => by === 'endUser' || by === 'bundle' || by === 'day'

const groupWords = (by: Group): string => groups.find(([one]) => one === by)?.[1] ?? ''

function groupOf(row: MarginRow): string {
  const { run } = row
  if (run) return `${run.outcome}/${run.runId}/${run.endUserId}`
  const { bundle, day, endUserId, keyId, provider, requestedModel, tag, team } = row
  return requestedModel ?? endUserId ?? day ?? bundle ?? provider ?? keyId ?? tag ?? team ?? ''
}

function StepsSkeleton(): ReactNode {
  return (
    <div aria-busy className="mb-12 grid gap-x-12 gap-y-8 wide:grid-cols-[3fr_2fr]">
      <Skeleton className="h-85 phone:h-78" />
      <Skeleton className="h-95 phone:h-78" />
    </div>
  )
}

function GroupCell({ by, row }: { readonly by: Group; readonly row: MarginRow }): ReactNode {
  const group = groupOf(row)
  if (by === 'endUser') return <UserLink id={group} />
  // Rows without requests and cost are subscriptions, which have no model, bundle or account.
  if (group === '' && row.calls === 0 && row.costMicros === '0')
    return <span className="text-ink-2">Subscriptions</span>
  if (group === '' && by === 'run') return <span className="text-ink-2">No run</span>
  if (group === '' && by === 'tag') return <span className="text-ink-2">No tag</span>
  if (group === '' && by === 'team') return <span className="text-ink-2">No team</span>
  if (group === '') return <Nothing reason="Unknown, for example because a crash interrupted the request" />
  if (by === 'day') {
    const end = new Date(Date.parse(group) + dayMs).toISOString()
    const search = { from: `${group}T00:00:00.000Z`, to: end }
    return (
      <Go to="/requests" search={search} className="hover:underline">
        {group}
      </Go>
    )
  }
  const name = (
    <bdi title={group} className="truncate">
      {group}
    </bdi>
  )
  if (by === 'run')
    return (
      <bdi title={group} className="truncate">
        {row.run?.outcome} {row.run?.runId}
      </bdi>
    )
  if (by === 'bundle')
    return (
      <Go to="/bundles" search={{ open: group }} className="hover:underline">
        {name}
      </Go>
    )
  const filter: keyof CallSearch = by
  return (
    <Go to="/requests" search={{ [filter]: group }} className="hover:underline">
      {name}
    </Go>
  )
}

type Amount = 'revenueMicros' | 'subscriptionMicros' | 'unattributedMicros'

const shown: readonly MoneyName[] = ['paidWalletMicros', 'onDemandMicros', 'costMicros', 'overHoldMicros']
const extraNames = moneyNames.filter((name) => !shown.includes(name))

function columnsOf(by: Group, tenths: bigint | null, change: string | null): readonly Column<MarginRow>[] {
  const amount = (id: Amount, head: string, isExtra = false): Column<MarginRow> => ({
    id,
    head,
    isNumber: true,
    isExtra,
    cell: (row) => <Money micros={row[id]} aligned />,
  })
  const figure = (name: MoneyName, isExtra = false): Column<MarginRow> => ({
    id: figures[name].wire,
    head: name === 'costMicros' ? 'Cost' : figures[name].label,
    isNumber: true,
    isExtra,
    cell: (row) => <Money micros={amountIn(row, name)} aligned />,
  })
  return [
    { id: 'group', head: groupWords(by), cell: (row) => <GroupCell by={by} row={row} /> },
    { id: 'calls', head: 'Requests', isNumber: true, cell: ({ calls }) => <Count of={calls} /> },
    amount('revenueMicros', 'Revenue'),
    ...(hasSubscriptions(by) ? [amount('subscriptionMicros', 'Subscriptions')] : []),
    figure('paidWalletMicros'),
    figure('onDemandMicros'),
    figure('costMicros'),
    ...extraNames.map((name) => figure(name, true)),
    amount('unattributedMicros', 'Unattributed', true),
    {
      ...figure('overHoldMicros'),
      cell: ({ overHoldMicros }) => (
        <Money
          micros={overHoldMicros}
          aligned
          className={overHoldMicros === '0' ? 'text-ink-3' : 'text-held'}
        />
      ),
    },
    {
      id: 'marginMicros',
      head: 'Margin',
      isNumber: true,
      cell: ({ marginMicros }) => <Money micros={marginMicros} signed aligned />,
    },
    { id: 'percent', head: '%', isNumber: true, cell: percentCell },
    ...(tenths === null
      ? []
      : [
          {
            id: 'rise',
            head: `Margin at ${change?.startsWith('-') ? '' : '+'}${change}\u2009%`,
            isNumber: true,
            cell: (row: MarginRow) => <Money micros={marginAt(row, tenths)} signed aligned />,
          },
        ]),
  ]
}

function percentCell({ marginPercent }: Pick<MarginRow, 'marginPercent'>): ReactNode {
  return marginPercent === null ? (
    <Nothing reason="No revenue" />
  ) : (
    <span className="figures whitespace-nowrap">{marginPercent.replace('-', '\u2212')}</span>
  )
}

function footOf(totals: MarginOutput['totals']): Readonly<Record<string, ReactNode>> {
  const revenue = BigInt(totals.revenueMicros)
  const margin = revenue - BigInt(totals.costMicros)
  return {
    group: 'Total',
    calls: <Count of={totals.calls} />,
    revenueMicros: <Money micros={totals.revenueMicros} aligned />,
    subscriptionMicros: <Money micros={totals.subscriptionMicros} aligned />,
    ...Object.fromEntries(
      moneyNames.map((name) => [
        figures[name].wire,
        <Money key={name} micros={amountIn(totals, name)} aligned />,
      ]),
    ),
    unattributedMicros: <Money micros={totals.unattributedMicros} aligned />,
    marginMicros: <Money micros={margin} signed aligned />,
    percent: percentCell({ marginPercent: percentAt(margin, revenue) }),
  }
}

function DownloadCsv({
  by,
  days,
}: {
  readonly by: Group
  readonly days: { readonly from: string; readonly to: string }
}): ReactNode {
  const scope = useScope()
  const queries = useQueryClient()
  const read = useMutation({
    mutationFn: () => queries.fetchQuery(allRowsQuery('margin', { by, ...days }, scope)),
    onSuccess: ({ rows }) => download(`margin-by-${by}.csv`, marginCsv(by, rows), 'text/csv'),
  })
  return (
    <span className="flex flex-wrap items-center gap-2">
      {read.error && <span className="text-13 text-negative">The file couldn't be created.</span>}
      {read.data?.isCut === true && (
        <span className="text-13 text-ink-2">The file has the first {read.data.rows.length} rows.</span>
      )}
      <Button size="small" isBusy={read.isPending} onClick={() => read.mutate()}>
        Download CSV
      </Button>
    </span>
  )
}

const csvColumns = [
  'calls',
  'revenueMicros',
  'subscriptionMicros',
  'invoicedMicros',
  'paidFromWalletMicros',
  'onDemandMicros',
  'costMicros',
  'overHoldMicros',
  'marginMicros',
  'marginPercent',
  ...extraNames.map((name) => figures[name].wire),
  'unattributedMicros',
] as const

/** Only rows by model have assumed costs. */
const ofModels = ['assumedCalls', 'assumedMicros'] as const

function marginCsv(by: Group, rows: readonly MarginRow[]): string {
  const columns = by === 'model' ? [...csvColumns, ...ofModels] : csvColumns
  // The API omits assumed costs of 0. The percentage of a row without revenue is null.
  const numbers = (row: MarginRow) =>
    columns.map((name) => numeral(String(row[name] ?? (name === 'marginPercent' ? '' : 0))))
  return [csvLine([by, ...columns]), ...rows.map((row) => csvLine([groupOf(row), ...numbers(row)]))].join('')
}
