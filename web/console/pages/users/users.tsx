import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Id, Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useBundleOptions } from '../../bundle-options.ts'
import { RowsAge } from '../../reload-button-with-age.tsx'
import { useAnswer, useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { ChoiceFilter, SearchField } from '../../filter-fields.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { useSort } from '../../sorting-in-url.ts'
import { RowTotal } from '../../number-of-rows.tsx'
import { CreateUser } from './create-end-user-form.tsx'

const states = ['active', 'frozen'] as const

export default function Users(): ReactNode {
  const { act, bundle, q, state: asked } = useSearchTexts()
  const state = states.find((one) => one === asked)
  const setSearch = useSetSearch()
  const navigate = useNavigate()
  const mayChange = useMay('developer')
  const bundles = useBundleOptions()
  const [sort, order] = useSort(['created', 'name', 'balance', 'spent', 'last_seen'])
  const filter = {
    ...(q !== undefined && { search: q }),
    ...(bundle !== undefined && { bundle }),
    ...(state !== undefined && { state }),
  }
  const input = { ...filter, ...order }
  const rows = useRows('users.list', { ...input, limit: 200 }, { everyMs: 60_000 })
  const counted = useAnswer('users.list', { ...filter, limit: 1, total: true }, { everyMs: 60_000 })
  const isFiltered = Object.keys(filter).length > 0
  const open = (externalId: string): void => void navigate({ to: '/users/$id', params: { id: externalId } })
  // The back button must not open the form again.
  const showNew = (externalId: string): Promise<void> =>
    navigate({ to: '/users/$id', params: { id: externalId }, replace: true })
  return (
    <>
      <PageHead
        title="End users"
        about="End users of your application, with their balance, plan and spend."
        action={
          <>
            <CopyAs operation="users.list" input={input} />
            {mayChange && (
              <Button kind="primary" onClick={() => setSearch({ act: 'new' })}>
                Create end user
              </Button>
            )}
          </>
        }
      />
      <DataTable
        label="End users"
        name="users"
        columns={columns}
        rows={rows}
        sort={sort}
        rowKey={({ id }) => id}
        onOpen={({ externalId }) => open(externalId)}
        tools={
          <>
            <SearchField name="q" label="Search by ID or email" />
            <ChoiceFilter name="bundle" label="Bundle" options={[['', 'All bundles'], ...bundles]} />
            <ChoiceFilter
              name="state"
              label="Status"
              options={[
                ['', 'All statuses'],
                ['active', 'Active'],
                ['frozen', 'Frozen'],
              ]}
            />
            <RowTotal of={counted.data?.total} one="end user" many="end users" />
            <RowsAge of={rows} />
          </>
        }
        empty={
          isFiltered ? (
            <Empty
              title="No end users match"
              action={
                <Button onClick={() => setSearch({ q: null, bundle: null, state: null })}>
                  Show all end users
                </Button>
              }
            >
              The search matches parts of the ID or the email address.
            </Empty>
          ) : (
            <Empty
              title="No end users yet"
              action={mayChange && <Button onClick={() => setSearch({ act: 'new' })}>Create end user</Button>}
              command={<CommandLine operation="users.create" input={{ externalId: 'ada' }} />}
            >
              End users of your product appear here with their balance, plan and keys. Create an end user
              here, or create a key for a new ID.
            </Empty>
          )
        }
      />
      {act === 'new' && <CreateUser onClose={() => setSearch({ act: null })} onDone={showNew} />}
    </>
  )
}

const columns: readonly Column<EndUser>[] = [
  {
    id: 'id',
    head: 'End user',
    sort: { by: 'name', isRising: true },
    cell: ({ externalId }) => <Id text={externalId} className="block max-w-32 tablet:max-w-45" />,
  },
  {
    id: 'balance',
    head: 'Balance',
    sort: { by: 'balance' },
    isNumber: true,
    cell: ({ balance }) => <Money micros={balance.balanceUnits} aligned />,
  },
  {
    id: 'held',
    head: 'Held',
    isNumber: true,
    cell: ({ balance }) =>
      balance.reservedUnits === '0' ? (
        <Nothing reason="No requests in progress" />
      ) : (
        <Money micros={balance.reservedUnits} className="text-held" aligned />
      ),
  },
  {
    id: 'plan',
    head: 'Plan',
    cell: ({ bundle }) =>
      bundle === null ? <Nothing reason="No bundle, so requests are rejected" /> : <Id text={bundle} />,
  },
  {
    id: 'onDemand',
    head: 'On-demand',
    cell: ({ onDemandEnabled }) => (onDemandEnabled ? 'On' : <span className="text-ink-3">Off</span>),
  },
  {
    id: 'seen',
    head: 'Last seen',
    sort: { by: 'last_seen' },
    cell: ({ lastSeenAt }) => <When at={lastSeenAt} reason="No requests yet" />,
  },
  {
    id: 'state',
    head: 'Status',
    cell: ({ frozen, frozenAt, frozenReason }) =>
      frozen && frozenAt !== null ? (
        <State
          tone="negative"
          words="Frozen"
          title={`Since ${exactTimeText(frozenAt)}${frozenReason === null ? '' : `: ${frozenReason}`}`}
        />
      ) : (
        <State tone="positive" words="Active" />
      ),
  },
  {
    id: 'billed',
    head: 'List value',
    sort: { by: 'spent' },
    isNumber: true,
    cell: ({ usage }) => <Money micros={usage.billedMicros} aligned />,
  },
  {
    id: 'email',
    head: 'Email',
    cell: ({ email }) =>
      email === null ? (
        <Nothing reason="No email address" />
      ) : (
        <bdi className="block max-w-48 truncate" title={email}>
          {email}
        </bdi>
      ),
  },
  {
    id: 'calls',
    head: 'Requests',
    isNumber: true,
    isExtra: true,
    cell: ({ usage }) => <Count of={usage.calls} />,
  },
  {
    id: 'created',
    head: 'Created',
    sort: { by: 'created' },
    isExtra: true,
    cell: ({ createdAt }) => <When at={createdAt} isRealTime />,
  },
]
