import { useState, type ReactNode } from 'react'
import type { AddedEmitter, Emitter } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { SecretDialog } from '#web/ui/secret-dialog.tsx'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Id, When } from '#web/ui/formatted-values.tsx'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { AddForm } from './add-emitter-form.tsx'
import { EmitterSheet } from './emitter-sheet.tsx'
import { kindWords, stateOf } from './emitter-kinds.ts'
import { Verification } from './how-to-verify-deliveries.tsx'

export default function Emitters(): ReactNode {
  const { act, open } = useSearchTexts()
  const setSearch = useSetSearch()
  const may = useMay('admin')
  const list = useRows('emitters.list', { limit: 100 }, { everyMs: 10_000 })
  const [added, setAdded] = useState<AddedEmitter | null>(null)
  const secret = added?.signingSecret ?? null
  const add = (
    <Button
      kind="primary"
      disabled={!may}
      title={may ? undefined : 'Adding emitters requires the admin role.'}
      onClick={() => setSearch({ act: 'new', open: null })}
    >
      Add emitter
    </Button>
  )
  return (
    <>
      <PageHead
        title="Emitters"
        about="Send the usage of every settled request to your webhook or to a billing vendor."
        action={
          <>
            <CopyAs operation="emitters.list" />
            {add}
          </>
        }
      />
      <DataTable
        label="Emitters"
        name="emitters"
        columns={columns}
        rows={list}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setSearch({ open: id, act: null })}
        isChosen={({ id }) => open === id}
        empty={
          <Empty
            title="No emitters yet"
            action={add}
            command={
              <CommandLine
                operation="emitters.add"
                input={{ kind: 'webhook', url: 'https://billing.example.com/usage' }}
              />
            }
          >
            <p>
              An emitter sends the usage and the billed amount of each settled request to another system. A
              new emitter receives events starting with the next request. You can replay the events of earlier
              requests.
            </p>
          </Empty>
        }
      />
      {act === 'new' && added === null && (
        <Sheet
          isOpen
          onClose={() => setSearch({ act: null })}
          title="Add emitter"
          about="Nothing is sent until a request settles or you send a sample."
        >
          <AddForm
            onCancel={() => setSearch({ act: null })}
            onDone={(emitter) => {
              if (emitter.signingSecret === null) setSearch({ act: null, open: emitter.id })
              else {
                setAdded(emitter)
                setSearch({ act: null })
              }
            }}
          />
        </Sheet>
      )}
      {added !== null && secret !== null && (
        <SecretDialog
          title="Signing secret"
          about={
            <>
              Every delivery to <bdi className="wrap-anywhere">{added.name}</bdi> is signed with this secret.
            </>
          }
          secret={secret}
          fileName=".env"
          fileText={`EMITTER_SECRET=${secret}\n`}
          onClose={() => {
            setAdded(null)
            setSearch({ open: added.id })
          }}
        >
          <Verification />
        </SecretDialog>
      )}
      {open !== undefined && act !== 'new' && added === null && <EmitterSheet key={open} id={open} />}
    </>
  )
}

const columns: readonly Column<Emitter>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ name }) => (
      <bdi className="block max-w-72 truncate" title={name}>
        {name}
      </bdi>
    ),
  },
  { id: 'kind', head: 'Kind', cell: ({ kind }) => kindWords(kind) },
  { id: 'state', head: 'State', cell: (emitter) => <State {...stateOf(emitter)} /> },
  {
    id: 'last',
    head: 'Last delivered',
    cell: ({ lastDeliveredAt }) => <When at={lastDeliveredAt} reason="Nothing delivered yet" />,
  },
  {
    id: 'delivered',
    head: 'Delivered',
    unit: 'events',
    isNumber: true,
    cell: ({ delivered }) => <Count of={delivered} />,
  },
  {
    id: 'notDelivered',
    head: 'Not delivered',
    isNumber: true,
    cell: ({ notDelivered }) => (
      <span className={notDelivered > 0 ? 'text-negative' : 'text-ink-3'}>
        <Count of={notDelivered} />
      </span>
    ),
  },
  {
    id: 'dropped',
    head: 'Dropped',
    isNumber: true,
    cell: ({ dropped }) => (
      <span className={dropped > 0 ? 'text-negative' : 'text-ink-3'}>
        <Count of={dropped} />
      </span>
    ),
  },
  {
    id: 'destination',
    head: 'Destination',
    isExtra: true,
    cell: ({ destination }) => <Id text={destination} className="inline-block max-w-64 align-bottom" />,
  },
  { id: 'created', head: 'Added', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
]
