import type { ReactNode } from 'react'
import type { Grant } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useSearchText, useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { stepper } from '../../open-neighbor-row.ts'
import { BulkGrants } from './bulk-grants-form.tsx'
import { GrantSheet } from './grant-details-sheet.tsx'
import { IssueGrant } from './issue-grant-form.tsx'

export default function Grants(): ReactNode {
  const { act } = useSearchTexts()
  const setSearch = useSetSearch()
  const mayChange = useMay('developer')
  const [openId, setOpen] = useSearchText('open')
  const rows = useRows('grants.list', {}, { everyMs: 5000 })
  const close = (): void => setSearch({ act: null })
  if (act === 'bulk' && mayChange) return <BulkGrants onClose={close} />
  const issue = mayChange && (
    <Button kind="primary" onClick={() => setSearch({ act: 'new' })}>
      Grant credit
    </Button>
  )
  return (
    <>
      <PageHead
        title="Grants"
        about="Credit you gave to end users. Granted credit is used after the pools of the plan are used up."
        action={
          <>
            <CopyAs operation="grants.list" />
            {mayChange && <Button onClick={() => setSearch({ act: 'bulk' })}>Grant from file</Button>}
            {issue}
          </>
        }
      />
      <DataTable
        label="Grants"
        name="grants"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpen(id)}
        isChosen={({ id }) => id === openId}
        empty={
          <Empty
            title="No grants yet"
            action={issue}
            command={
              <CommandLine
                operation="grants.issue"
                input={{ endUsers: ['ada'], amountUnits: '5000000', reason: 'welcome' }}
              />
            }
          >
            A grant adds credit once to the wallet of each chosen end user. Grant credit so an end user can
            send requests.
          </Empty>
        }
      />
      {act === 'new' && <IssueGrant onClose={close} />}
      {openId !== null && (
        <GrantSheet
          id={openId}
          onClose={() => setOpen(null)}
          onStep={stepper(rows.rows, ({ id }) => id, openId, setOpen)}
        />
      )}
    </>
  )
}

const columns: readonly Column<Grant>[] = [
  { id: 'at', head: 'Issued', cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    id: 'reason',
    head: 'Reason',
    cell: ({ reason }) => (
      <bdi className="block max-w-80 truncate" title={reason}>
        {reason}
      </bdi>
    ),
  },
  { id: 'people', head: 'End users', isNumber: true, cell: ({ endUsers }) => <Count of={endUsers} /> },
  {
    id: 'amount',
    head: 'Amount',
    unit: 'each',
    isNumber: true,
    cell: ({ amountUnits }) => <Money micros={amountUnits} aligned />,
  },
  {
    id: 'total',
    head: 'Total',
    isNumber: true,
    cell: ({ amountUnits, done }) => <Money micros={BigInt(amountUnits) * BigInt(done)} aligned />,
  },
  { id: 'state', head: 'State', cell: (grant) => <GrantState of={grant} /> },
  {
    id: 'key',
    head: 'Idempotency key',
    isExtra: true,
    cell: ({ idempotencyKey }) =>
      idempotencyKey === null ? (
        <Nothing reason="No idempotency key was sent" />
      ) : (
        <code>{idempotencyKey}</code>
      ),
  },
]

function GrantState({ of: { done, endUsers, status } }: { readonly of: Grant }): ReactNode {
  return status === 'done' ? (
    <State tone="positive" words="Done" />
  ) : (
    <State tone="held" words={`${done} of ${endUsers} granted`} />
  )
}
