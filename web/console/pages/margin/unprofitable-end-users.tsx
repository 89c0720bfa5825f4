/** All end users are checked, page by page. */
import { useEffect, type ReactNode } from 'react'
import type { MarginRow } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { Count, Money } from '#web/ui/formatted-values.tsx'
import { useRows } from '../../operations/use-operation.ts'
import { UserLink } from '../../shell/console-links.tsx'

/** Maximum number of end users that are loaded automatically. */
const peopleMax = 2000

const columns: readonly Column<MarginRow>[] = [
  { id: 'person', head: 'End user', cell: ({ endUserId = '' }) => <UserLink id={endUserId} /> },
  { id: 'calls', head: 'Requests', isNumber: true, cell: ({ calls }) => <Count of={calls} /> },
  {
    id: 'revenue',
    head: 'Revenue',
    isNumber: true,
    cell: ({ revenueMicros }) => <Money micros={revenueMicros} aligned />,
  },
  {
    id: 'subscriptions',
    head: 'Subscriptions',
    isNumber: true,
    cell: ({ subscriptionMicros }) => <Money micros={subscriptionMicros} aligned />,
  },
  {
    id: 'cost',
    head: 'Cost',
    isNumber: true,
    cell: ({ costMicros }) => <Money micros={costMicros} aligned />,
  },
  {
    id: 'margin',
    head: 'Margin',
    isNumber: true,
    cell: ({ marginMicros }) => <Money micros={marginMicros} signed aligned />,
  },
]

export function UnprofitableEndUsers({
  days,
}: {
  readonly days: { readonly from: string; readonly to: string }
}): ReactNode {
  const {
    hasMore = false,
    isLoadingMore = false,
    loadMore,
    ...list
  } = useRows('margin', {
    by: 'endUser',
    limit: 200,
    ...days,
  })
  const seen = list.rows?.length ?? 0
  const goesOn = hasMore && !isLoadingMore && list.error === undefined && seen < peopleMax
  useEffect(() => {
    if (goesOn) loadMore?.()
  }, [goesOn, loadMore])
  const losses = list.rows
    ?.filter(({ marginMicros }) => marginMicros.startsWith('-'))
    .toSorted((one, other) => (BigInt(one.marginMicros) < BigInt(other.marginMicros) ? -1 : 1))
  return (
    <Section
      title="End users with a negative margin"
      about={
        list.rows && (
          <>
            <Count of={losses?.length ?? 0} /> of <Count of={seen} /> end users with usage in this range
            {hasMore && ', so far'}.
          </>
        )
      }
      action={
        hasMore && (
          <Button size="small" isBusy={isLoadingMore} onClick={() => loadMore?.()}>
            Check more end users
          </Button>
        )
      }
    >
      <DataTable
        label="End users with a negative margin"
        name="losses"
        columns={columns}
        rows={{ ...list, rows: losses }}
        rowKey={({ endUserId = '' }) => endUserId}
        empty={
          <p className="border-y border-line py-4 text-14 text-ink-2">
            No end user has a negative margin in this range.
          </p>
        }
      />
    </Section>
  )
}
