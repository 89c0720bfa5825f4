import { useNavigate } from '@tanstack/react-router'
import { useContext, useMemo, useState, type ReactNode } from 'react'
import { dayMs } from '#money/periods-and-windows.ts'
import type { Request } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable } from '#web/ui/data-table.tsx'
import { FilterBar } from '#web/ui/filter-bar.tsx'
import type { Filter } from '#web/ui/filter-suggestions.ts'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { AheadMs } from '#web/ui/current-time-hooks.ts'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { callQuery, useCallFilters } from '../../calls/request-filters.ts'
import { useAnswer, useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useFilters } from '../../filters-in-url.ts'
import { NewRowsPill } from '../../new-rows-button.tsx'
import { useRange, type TimeRange } from '../../time-range.ts'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { stepper } from '../../open-neighbor-row.ts'
import { ExportMenu } from './export-requests-menu.tsx'
import { Histogram } from './requests-chart.tsx'
import { callCard } from '../../calls/request-card.tsx'
import { useCallColumns } from '../../calls/request-columns.tsx'
import { RequestSheet } from './request-sheet.tsx'
import { SavedViews } from './saved-views-menu.tsx'

const idFilter: Filter = {
  kind: 'text',
  name: 'id',
  label: 'ID',
  placeholder: 'req_…',
  help: 'Opens the request with this ID. You can also enter the ID of a hold or of a usage record.',
  looksLike: /^(req|hold|ur)_/,
}

const runFilters: readonly Filter[] = [
  {
    kind: 'text',
    name: 'outcome',
    label: 'Outcome',
    placeholder: 'Slug of an outcome',
    help: 'Lists the requests with this outcome that are charged or in flight.',
  },
  { kind: 'text', name: 'run', label: 'Run', words: 'outcome', placeholder: 'ID of a run' },
]

export default function Requests(): ReactNode {
  const navigate = useNavigate()
  const { open } = useSearchTexts()
  const setSearch = useSetSearch()
  const [range, setRange] = useRange()
  const columns = useCallColumns(range.lengthMs > dayMs)
  const callFilters = useCallFilters()
  const filters = useMemo(() => [...callFilters, ...runFilters, idFilter], [callFilters])
  const bar = useFilters(filters)
  const { id: _, ...values } = bar.values
  const { outcome, run } = values
  const query = {
    ...callQuery(values),
    ...(outcome !== undefined && { outcome }),
    ...(run !== undefined && { runId: run }),
  }
  const [shown, showNow] = useShownRange(range)
  const list = useRows('requests.list', { ...query, ...shown, limit: 200 })
  const newer = useNewer(list.rows, query, shown)
  const openPage = (requestId: string): void =>
    void navigate({ to: '/requests/$id', params: { id: requestId } })
  const hasFilters = Object.keys(values).length > 0
  const input = { ...query, ...shown }

  return (
    <>
      <PageHead
        title="Requests"
        about="All requests of your end users, with their cost, charge and result."
        action={
          <>
            <CopyAs operation="requests.list" input={input} />
            <ExportMenu input={input} range={range} endUserId={query.endUserId} hasFilters={hasFilters} />
          </>
        }
      />
      <Histogram range={range} values={values} onRange={setRange} />
      {newer !== null && (
        <NewRowsPill
          count={newer}
          onShow={() => {
            showNow()
            list.refetch()
            window.scrollTo({ top: 0 })
          }}
        />
      )}
      <DataTable
        label="Requests"
        name="requests"
        columns={columns}
        card={callCard}
        rows={list}
        rowKey={(call) => call.id}
        onOpen={(call) => setSearch({ open: call.id })}
        isChosen={(call) => call.id === open}
        tools={
          <FilterBar
            {...bar}
            onChange={({ id, ...changes }) => {
              if (typeof id === 'string') openPage(id)
              else bar.onChange(changes)
            }}
          >
            <SavedViews filters={filters} values={values} />
          </FilterBar>
        }
        empty={<NoRequests hasFilters={hasFilters} range={range} onRange={setRange} />}
      />
      {open !== undefined && (
        <RequestSheet
          id={open}
          onClose={() => setSearch({ open: null })}
          onStep={stepper(
            list.rows,
            ({ id }) => id,
            open,
            (id) => setSearch({ open: id }),
          )}
        />
      )}
    </>
  )
}

/** Keeps a range that ends now unchanged until the function is called, so that rows do not move. */
function useShownRange(range: TimeRange): readonly [{ from: string; to?: string }, () => void] {
  const { from, name, to } = range
  // In test mode, the clock is known only after the page has loaded.
  const aheadMs = useContext(AheadMs)
  const key = name === 'custom' ? `${from} ${to}` : `${name} ${aheadMs}`
  const [kept, setKept] = useState({ key, from })
  if (kept.key !== key) setKept({ key, from })
  const shownFrom = kept.key === key ? kept.from : from
  const isOver = name === 'custom'
  const shown = useMemo(() => ({ from: shownFrom, ...(isOver && { to }) }), [shownFrom, isOver, to])
  return [shown, () => setKept({ key, from })]
}

/** Null if no request is newer, or if newer requests cannot be in the range. */
function useNewer(
  rows: readonly Request[] | undefined,
  query: object,
  { to }: { readonly to?: string },
): string | null {
  const newest = rows?.[0]
  const { data } = useAnswer(
    'requests.list',
    { ...query, limit: 200, ...(newest && { from: newest.createdAt }) },
    { everyMs: 10_000, isEnabled: newest !== undefined && to === undefined },
  )
  // IDs are in chronological order, so the newest ID shows whether the list is outdated.
  if (!newest || !data) return null
  const count = data.data.filter(({ id }) => id > newest.id).length
  if (count === 0) return null
  return data.nextCursor === null ? String(count) : `${count}+`
}

function NoRequests({
  hasFilters,
  onRange,
  range,
}: {
  readonly hasFilters: boolean
  readonly range: TimeRange
  readonly onRange: (range: '90d') => void
}): ReactNode {
  const longer = range.name !== '90d' && <Button onClick={() => onRange('90d')}>Show the last 90 days</Button>
  if (hasFilters)
    return (
      <Empty title="No requests match these filters" action={longer}>
        Remove a filter, or choose a longer range.
      </Empty>
    )
  return (
    <Empty
      title="No requests in this range"
      action={longer}
      command={<CommandLine operation="requests.tail" />}
    >
      Requests appear here as soon as they start, with end user, model, charge and cost. Run the command below
      to watch for the next request.
    </Empty>
  )
}
