import type { ReactNode } from 'react'
import type { Invoice } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money, When } from '#web/ui/formatted-values.tsx'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { InvoiceState, invoiceStates } from '../../invoices/invoice-state.tsx'
import { PeriodText } from '../../period-text.tsx'
import { ChoiceFilter, SearchField } from '../../filter-fields.tsx'
import { useSearchText, useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { UserLink } from '../../shell/console-links.tsx'
import { stepper } from '../../open-neighbor-row.ts'
import { useUserSuggestions } from '../../end-user-suggestions.ts'
import { InvoiceSheet } from './invoice-sheet.tsx'

export default function Invoices(): ReactNode {
  const { state, user } = useSearchTexts()
  const setSearch = useSetSearch()
  const [openId, setOpen] = useSearchText('open')
  const input = {
    ...(user !== undefined && { endUserId: user }),
    ...(state !== undefined && { status: state as 'open' }),
  }
  const rows = useRows('invoices.list', input)
  const suggestions = useUserSuggestions(user ?? '')
  const isFiltered = state !== undefined || user !== undefined
  return (
    <>
      <PageHead
        title="Invoices"
        about="Invoices for plans with a price. Collect the payment yourself, then mark the invoice as paid."
        action={<CopyAs operation="invoices.list" input={input} />}
      />
      <DataTable
        label="Invoices"
        name="invoices"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpen(id)}
        isChosen={({ id }) => id === openId}
        tools={
          <>
            <SearchField name="user" label="End user ID" isExact suggestions={suggestions} />
            <ChoiceFilter
              name="state"
              label="State"
              options={[
                ['', 'All states'],
                ...Object.entries(invoiceStates).map(([status, [, words]]) => [status, words] as const),
              ]}
            />
          </>
        }
        empty={
          isFiltered ? (
            <Empty
              title="No invoices match these filters"
              action={
                <Button onClick={() => setSearch({ state: null, user: null })}>Show all invoices</Button>
              }
            />
          ) : (
            <Empty
              title="No invoices yet"
              command={
                <CommandLine
                  operation="users.subscribe"
                  input={{ externalId: 'ada', bundle: 'slug-of-a-bundle' }}
                />
              }
            >
              An invoice is created when you put an end user on a bundle with a price, and at the start of
              each billing period.
            </Empty>
          )
        }
      />
      {openId !== null && (
        <InvoiceSheet
          id={openId}
          onClose={() => setOpen(null)}
          onStep={stepper(rows.rows, ({ id }) => id, openId, setOpen)}
        />
      )}
    </>
  )
}

const columns: readonly Column<Invoice>[] = [
  { id: 'issued', head: 'Issued', cell: ({ issuedAt }) => <When at={issuedAt} /> },
  {
    id: 'user',
    head: 'End user',
    cell: ({ endUserId }) => (
      <span className="block max-w-60 truncate" title={endUserId}>
        <UserLink id={endUserId} />
      </span>
    ),
  },
  { id: 'number', head: 'Number', isNumber: true, cell: ({ number }) => number },
  {
    id: 'period',
    head: 'Period',
    cell: ({ periodEnd, periodStart }) => <PeriodText from={periodStart} to={periodEnd} />,
  },
  {
    id: 'state',
    head: 'State',
    cell: ({ dueAt, status }) => <InvoiceState status={status} dueAt={dueAt} />,
  },
  {
    id: 'amount',
    head: 'Amount',
    isNumber: true,
    cell: ({ amountMicros }) => <Money micros={amountMicros} aligned />,
  },
]
