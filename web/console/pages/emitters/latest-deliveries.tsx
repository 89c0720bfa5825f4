import type { ReactNode } from 'react'
import type { EmitterDelivery } from '#sdk/generated/types.ts'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Duration, Id, Nothing, When } from '#web/ui/formatted-values.tsx'
import type { Known } from '#web/ui/known-words.ts'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { DeliveryBodies } from './failed-delivery-bodies.tsx'

const causes: Readonly<Record<string, string>> = {
  settled: 'Settled requests',
  replay: 'Replay',
  test: 'Sample',
} satisfies Readonly<Record<Known<EmitterDelivery['cause']>, string>>

const columns: readonly Column<EmitterDelivery>[] = [
  { id: 'at', head: 'Sent', cell: ({ sentAt }) => <When at={sentAt} /> },
  {
    id: 'state',
    head: 'Outcome',
    cell: ({ delivered, reason }) => (
      <State
        tone={delivered ? 'positive' : 'negative'}
        words={delivered ? 'Accepted' : 'Not accepted'}
        {...(reason !== null && { title: reason })}
      />
    ),
  },
  {
    id: 'status',
    head: 'Status',
    isNumber: true,
    cell: ({ status }) => status ?? <Nothing reason="No response" />,
  },
  { id: 'attempts', head: 'Attempts', isNumber: true, cell: ({ attempts }) => <Count of={attempts} /> },
  { id: 'events', head: 'Events', isNumber: true, cell: ({ events }) => <Count of={events} /> },
  { id: 'took', head: 'Duration', isNumber: true, cell: ({ latencyMs }) => <Duration ms={latencyMs} /> },
  { id: 'cause', head: 'Cause', cell: ({ cause }) => causes[cause] ?? cause },
  {
    id: 'reason',
    head: 'Reason',
    cell: ({ reason }) =>
      reason === null ? (
        <Nothing reason="Accepted" />
      ) : (
        <bdi className="inline-block max-w-48 truncate align-bottom" title={reason}>
          {reason}
        </bdi>
      ),
  },
  { id: 'id', head: 'Batch', isExtra: true, cell: ({ id }) => <Id text={id} /> },
  {
    id: 'records',
    head: 'Usage records',
    isExtra: true,
    cell: ({ usageRecordIds }) => (
      <Id text={usageRecordIds.join(' ')} className="inline-block max-w-48 align-bottom" />
    ),
  },
]

export function Deliveries({ id }: { readonly id: string }): ReactNode {
  const { batch, delivered = 'all' } = useSearchTexts()
  const setSearch = useSetSearch()
  const bodies: Column<EmitterDelivery> = {
    id: 'bodies',
    head: 'Bodies',
    cell: ({ delivered: isAccepted, id: batchId }) =>
      isAccepted ? (
        <Nothing reason="Accepted" />
      ) : (
        <Button size="small" onClick={() => setSearch({ batch: batchId })}>
          Show bodies
        </Button>
      ),
  }
  const only = { yes: true, no: false }[delivered]
  const list = useRows(
    'emitters.deliveries',
    { id, limit: 50, ...(only !== undefined && { delivered: only }) },
    { everyMs: 5000 },
  )
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {batch !== undefined && (
        <DeliveryBodies id={id} batchId={batch} onClose={() => setSearch({ batch: null })} />
      )}
      <DataTable
        label="Deliveries"
        name="deliveries"
        columns={[...columns, bodies]}
        rows={list}
        rowKey={(delivery) => delivery.id}
        tools={
          <>
            <Segments
              label="Filter deliveries"
              value={delivered}
              options={[
                ['all', 'All'],
                ['yes', 'Accepted'],
                ['no', 'Not accepted'],
              ]}
              onChange={(next) => setSearch({ delivered: next === 'all' ? null : next })}
            />
            <CopyAs
              operation="emitters.deliveries"
              input={{ id, ...(only !== undefined && { delivered: only }) }}
            />
          </>
        }
        empty={
          <div className="flex flex-col gap-3 border-y border-line py-4 text-14 text-ink-2">
            <p>No deliveries yet. The last 200 batches appear here. Send a sample to test the emitter.</p>
            <CommandLine operation="emitters.test" input={{ id }} />
          </div>
        }
      />
    </div>
  )
}
