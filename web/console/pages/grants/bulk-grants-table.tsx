import type { ReactNode } from 'react'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Id, Money, Nothing } from '#web/ui/formatted-values.tsx'
import { noSuchUser } from '../../find-end-user.ts'
import type { GrantLine } from './parse-grant-lines.ts'
import type { Bulk } from './use-issue-bulk-grants.ts'

interface Row extends GrantLine {
  /** Null if the balance was not looked up. */
  readonly before: bigint | null
}

export function BulkTable({
  bulk,
  lines,
}: {
  readonly lines: readonly GrantLine[]
  readonly bulk: Bulk
}): ReactNode {
  return (
    <DataTable
      label="Lines"
      name="bulk-grants"
      columns={columnsOf(bulk)}
      rows={{ rows: rowsOf(lines, bulk.balances) }}
      rowKey={({ idempotencyKey }) => idempotencyKey}
      empty={null}
    />
  )
}

/** A line includes the earlier grants to the same end user. */
function rowsOf(lines: readonly GrantLine[], balances: Bulk['balances']): readonly Row[] {
  const sums = new Map<string, bigint>()
  return lines.map((line) => {
    const known = sums.get(line.externalId) ?? balances.get(line.externalId)
    const before = known === undefined ? null : BigInt(known)
    if (before !== null) sums.set(line.externalId, before + BigInt(line.micros ?? '0'))
    return { ...line, before }
  })
}

function columnsOf({ failures, granted, unknown }: Bulk): readonly Column<Row>[] {
  return [
    { id: 'line', head: 'Line', cell: ({ line }) => <span className="figures">{line}</span> },
    {
      id: 'user',
      head: 'End user',
      cell: ({ externalId }) =>
        externalId === '' ? (
          <Nothing reason="No end user" />
        ) : (
          <Id text={externalId} className="block max-w-60" />
        ),
    },
    {
      id: 'amount',
      head: 'Amount',
      isNumber: true,
      cell: ({ amount, micros }) =>
        micros === null ? <bdi className="text-negative">{amount}</bdi> : <Money micros={micros} aligned />,
    },
    {
      id: 'reason',
      head: 'Reason',
      cell: ({ reason }) => (
        <bdi className="block max-w-60 truncate" title={reason}>
          {reason}
        </bdi>
      ),
    },
    {
      id: 'after',
      head: 'Balance after',
      isNumber: true,
      cell: ({ before, micros }) =>
        before === null || micros === null ? (
          <Nothing reason="Not checked yet" />
        ) : (
          <Money micros={before + BigInt(micros)} aligned />
        ),
    },
    {
      id: 'state',
      head: 'State',
      cell: ({ externalId, faults, idempotencyKey }) => {
        const failure = failures.get(idempotencyKey)
        if (granted.has(idempotencyKey)) return <State tone="positive" words="Granted" />
        const wrong = [
          ...faults,
          ...(unknown.has(externalId) ? [noSuchUser] : []),
          ...(failure === undefined ? [] : [failure]),
        ]
        return wrong.length > 0 ? (
          <span className="whitespace-normal text-negative">{wrong.join(' ')}</span>
        ) : (
          <State tone="neutral" words="Not granted yet" />
        )
      },
    },
  ]
}
