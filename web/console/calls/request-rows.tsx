import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Request } from '#sdk/generated/types.ts'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { Count, Duration, Id, Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { CallState } from './request-outcome.tsx'
import { useRows } from '../operations/use-operation.ts'
import { CopyAs } from '../copy-as-code.tsx'

export function CallRows({
  empty,
  isShort = false,
  label,
  ...filter
}: {
  readonly endUserId?: string
  readonly keyId?: string
  readonly label: string
  readonly empty: ReactNode
  readonly isShort?: boolean
}): ReactNode {
  const navigate = useNavigate()
  const rows = useRows('requests.list', { ...filter, ...(isShort && { limit: 20 }) })
  return (
    <DataTable
      label={label}
      name={isShort ? 'calls-short' : 'calls'}
      columns={isShort ? columns.filter(({ id }) => !wide.has(id)) : columns}
      rows={isShort ? { ...rows, hasMore: false } : rows}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/requests/$id', params: { id } })}
      tools={!isShort && <CopyAs operation="requests.list" input={filter} />}
      empty={empty}
    />
  )
}

const wide = new Set(['in', 'out', 'took'])

const columns: readonly Column<Request>[] = [
  { id: 'at', head: 'Time', cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    id: 'model',
    head: 'Model',
    cell: ({ requestedModel }) =>
      requestedModel === null ? <Nothing reason="No model was requested" /> : <Id text={requestedModel} />,
  },
  {
    id: 'state',
    head: 'Status',
    cell: (call) => <CallState call={call} hasError />,
  },
  {
    id: 'in',
    head: 'In',
    unit: 'tokens',
    isNumber: true,
    cell: ({ inputTokens }) => <Count of={inputTokens} />,
  },
  {
    id: 'out',
    head: 'Out',
    unit: 'tokens',
    isNumber: true,
    cell: ({ outputTokens }) => <Count of={outputTokens} />,
  },
  {
    id: 'took',
    head: 'Total',
    isNumber: true,
    cell: ({ latencyMs }) => <Duration ms={latencyMs} reason="In flight" />,
  },
  {
    id: 'charge',
    head: 'Charged',
    isNumber: true,
    cell: ({ chargeMicros, status }) =>
      status === 'in_flight' ? <Nothing reason="In flight" /> : <Money micros={chargeMicros} aligned />,
  },
]
