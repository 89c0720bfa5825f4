import type { ReactNode } from 'react'
import type { ApiKeySummary } from '#sdk/generated/types.ts'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useHasPassed } from '#web/ui/current-time-hooks.ts'
import { useRows } from '../operations/use-operation.ts'
import { useSearchText } from '../url-parameters.ts'
import { UserLink } from '../shell/console-links.tsx'
import { useSort } from '../sorting-in-url.ts'
import { periodWords } from '../prices/dollars-or-credits-text.ts'
import { stepper } from '../open-neighbor-row.ts'
import { keyState } from './key-state.ts'
import { KeySheet } from './key-sheet.tsx'

export function KeyTable({
  empty,
  endUserId,
  search,
  state,
  tools,
}: {
  readonly endUserId?: string | undefined
  readonly search?: string | undefined
  readonly state?: 'active' | 'revoked' | 'expired' | undefined
  readonly empty: ReactNode
  readonly tools?: ReactNode
}): ReactNode {
  const [sort, order] = useSort(['created', 'name', 'spent', 'last_used'])
  const rows = useRows('keys.list', {
    ...(endUserId !== undefined && { endUserId }),
    ...(search !== undefined && { search }),
    ...(state !== undefined && { state }),
    ...order,
    limit: 200,
  })
  const [openId, setOpen] = useSearchText('open')
  return (
    <>
      <DataTable
        label="Keys"
        name="keys"
        columns={endUserId === undefined ? columns : columns.filter(({ id }) => id !== 'user')}
        rows={rows}
        sort={sort}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpen(id)}
        isChosen={({ id }) => id === openId}
        tools={tools}
        empty={empty}
      />
      {openId !== null && (
        <KeySheet
          id={openId}
          onClose={() => setOpen(null)}
          onStep={stepper(rows.rows, ({ id }) => id, openId, setOpen)}
        />
      )}
    </>
  )
}

function KeyState({ of: key }: { readonly of: ApiKeySummary }): ReactNode {
  const [tone, words] = keyState(key, useHasPassed(key.expiresAt))
  return <State tone={tone} words={words} />
}

const columns: readonly Column<ApiKeySummary>[] = [
  {
    id: 'key',
    head: 'Key',
    cell: ({ keyPrefix, lastFour }) => (
      <span className="figures font-mono text-13 whitespace-nowrap">
        {keyPrefix}…{lastFour}
      </span>
    ),
  },
  {
    id: 'name',
    head: 'Name',
    sort: { by: 'name', isRising: true },
    cell: ({ name }) => (
      <bdi className="block max-w-45 truncate" title={name}>
        {name}
      </bdi>
    ),
  },
  {
    id: 'user',
    head: 'End user',
    cell: ({ endUserId }) =>
      endUserId === null ? (
        <Nothing reason="The end user was deleted" />
      ) : (
        <span className="block max-w-45 truncate" title={endUserId}>
          <UserLink id={endUserId} />
        </span>
      ),
  },
  {
    id: 'spent',
    head: 'Spent',
    sort: { by: 'spent' },
    isNumber: true,
    cell: ({ capPeriod, spentMicros }) => (
      <span title={`In the current period (${periodWords(capPeriod)})`}>
        <Money micros={spentMicros} aligned />
      </span>
    ),
  },
  {
    id: 'cap',
    head: 'Cap',
    isNumber: true,
    cell: ({ capMicros, capPeriod }) =>
      capMicros === null ? (
        <Nothing reason="No cap" />
      ) : (
        <>
          <Money micros={capMicros} /> <span className="text-ink-3">{periodWords(capPeriod)}</span>
        </>
      ),
  },
  {
    id: 'used',
    head: 'Last used',
    sort: { by: 'last_used' },
    cell: ({ lastUsedAt }) => <When at={lastUsedAt} reason="Never used" />,
  },
  {
    id: 'state',
    head: 'State',
    cell: (key) => <KeyState of={key} />,
  },
  {
    id: 'expires',
    head: 'Expires',
    isExtra: true,
    cell: ({ expiresAt }) => <When at={expiresAt} reason="Does not expire" />,
  },
  {
    id: 'created',
    head: 'Created',
    sort: { by: 'created' },
    isExtra: true,
    cell: ({ createdAt }) => <When at={createdAt} />,
  },
]
