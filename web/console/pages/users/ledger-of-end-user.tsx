import type { ReactNode } from 'react'
import type { EndUser, LedgerEntry } from '#sdk/generated/types.ts'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { ledgerReasonWords } from '#web/ui/ledger-reason-words.ts'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { Id, Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import type { Known } from '#web/ui/known-words.ts'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useSearchText } from '../../url-parameters.ts'
import { Go } from '../../shell/console-links.tsx'
import { unitsText } from '../../prices/dollars-or-credits-text.ts'

export function Ledger({ user }: { readonly user: EndUser }): ReactNode {
  const [chosen, setChosen] = useSearchText('source')
  const source = chosen === 'all' ? 'all' : 'wallet'
  const input = { externalId: user.externalId, source, limit: 100 } as const
  const rows = useRows('users.ledger', input, { everyMs: 5000 })
  return (
    <>
      <DataTable
        label="Ledger"
        name="ledger"
        columns={source === 'all' ? columns : columns.filter(({ id }) => id !== 'source')}
        rows={rows}
        rowKey={({ id }) => id}
        tools={
          <>
            <Segments
              label="Entries"
              value={source}
              options={[
                ['wallet', 'Wallet'],
                ['all', 'Wallet, pools and on-demand'],
              ]}
              onChange={(next) => setChosen(next === 'all' ? 'all' : null)}
            />
            <CopyAs operation="users.ledger" input={{ externalId: user.externalId, source }} />
          </>
        }
        empty={
          <Empty
            title="No entries yet"
            command={
              <CommandLine
                operation="grants.issue"
                input={{ endUsers: [user.externalId], amountUnits: '5000000', reason: 'welcome' }}
              />
            }
          >
            Credits and charges appear here, each with the balance after it. Entries are never changed. Grant
            credit to create the first entry.
          </Empty>
        }
      />
      {source === 'wallet' && rows.rows !== undefined && rows.rows.length > 0 && (
        <Sum entries={rows.rows} isWhole={rows.hasMore !== true} />
      )}
    </>
  )
}

/** A note names entries that are missing from the list. */
function Sum({
  entries,
  isWhole,
}: {
  readonly entries: readonly LedgerEntry[]
  readonly isWhole: boolean
}): ReactNode {
  const sum = entries.reduce((total, { amountUnits }) => total + BigInt(amountUnits), 0n)
  const newest = entries[0]?.balanceAfterUnits ?? '0'
  const before = BigInt(newest) - sum
  return (
    <p className="mt-3 text-right text-14 text-ink-2" data-sum>
      {!isWhole && (
        <>
          <Money micros={before} /> before these entries +{' '}
        </>
      )}
      <Money micros={sum} /> in {entries.length === 1 ? 'this entry' : `these ${entries.length} entries`} =
      balance of <Money micros={newest} className="font-medium text-ink" />
    </p>
  )
}

const kinds: Readonly<Record<string, string>> = {
  topup: 'Top-up',
  grant: 'Grant',
  usage_debit: 'Request charge',
  refund: 'Refund',
  reversal: 'Reversal',
  adjustment: 'Adjustment',
} satisfies Readonly<Record<Known<LedgerEntry['kind']>, string>>

function Units({ of: units, unit, signed }: { of: string; unit: string; signed?: boolean }): ReactNode {
  return unit === 'micros' ? (
    <Money micros={units} signed={signed === true && !units.startsWith('-')} aligned />
  ) : (
    <span className="figures whitespace-nowrap">{unitsText(units, unit, { sign: signed ?? false })}</span>
  )
}

const columns: readonly Column<LedgerEntry>[] = [
  { id: 'at', head: 'Time', cell: ({ createdAt }) => <When at={createdAt} /> },
  { id: 'kind', head: 'Type', cell: ({ kind }) => kinds[kind] ?? kind },
  {
    id: 'why',
    head: 'Reason',
    cell: ({ invoiceId, reason, requestId }) =>
      invoiceId !== undefined ? (
        <Go to="/invoices" search={{ open: invoiceId }} className="underline">
          {reason === undefined ? invoiceId : ledgerReasonWords(reason)}
        </Go>
      ) : requestId !== undefined ? (
        <Go to="/requests/$id" params={{ id: requestId }} className="font-mono text-13 underline">
          {requestId}
        </Go>
      ) : reason === undefined ? (
        <Nothing reason="No reason given" />
      ) : (
        <bdi title={reason}>{ledgerReasonWords(reason)}</bdi>
      ),
  },
  { id: 'source', head: 'Source', cell: ({ source }) => <Id text={source} /> },
  {
    id: 'amount',
    head: 'Amount',
    isNumber: true,
    cell: ({ amountUnits, unit }) => <Units of={amountUnits} unit={unit} signed />,
  },
  {
    id: 'after',
    head: 'Balance after',
    isNumber: true,
    cell: ({ balanceAfterUnits, unit }) => <Units of={balanceAfterUnits} unit={unit} />,
  },
  { id: 'id', head: 'ID', isExtra: true, cell: ({ id }) => <Id text={id} /> },
]
