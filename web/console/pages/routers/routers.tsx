import type { ReactNode } from 'react'
import type { HealthOutput } from '#sdk/generated/operations.ts'
import type { Router } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Id, When } from '#web/ui/formatted-values.tsx'
import { useAnswer, useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { healthOfName } from '../../providers/health-words.ts'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { DryRunSheet } from './dry-run-sheet.tsx'
import { policyWords, targetWords } from './router-in-words.ts'
import { RouterForm } from './router-form.tsx'
import { RouterSheet } from './router-sheet.tsx'

export default function Routers(): ReactNode {
  const { act, open, plan } = useSearchTexts()
  const setSearch = useSetSearch()
  const may = useMay('developer')
  const list = useRows('routers.list', { limit: 100 })
  const health = useAnswer('health', { window: '24h' }).data
  const add = (
    <Button
      kind="primary"
      disabled={!may}
      title={may ? undefined : 'Adding routers requires the developer role.'}
      onClick={() => setSearch({ act: 'new', open: null, plan: null })}
    >
      Add router
    </Button>
  )
  return (
    <>
      <PageHead
        title="Routers"
        about="A router is a model name with several targets. The router selects a target for each request, and tries the next target if a target fails."
        action={
          <>
            <CopyAs operation="routers.list" />
            <Button onClick={() => setSearch({ plan: open ?? '', open: null, act: null })}>
              Plan request
            </Button>
            {add}
          </>
        }
      />
      <DataTable
        label="Routers"
        name="routers"
        columns={columnsOf(health)}
        rows={list}
        rowKey={({ name }) => name}
        onOpen={({ name }) => setSearch({ open: name, act: null, plan: null })}
        isChosen={({ name }) => name === open}
        empty={
          <Empty
            title="No routers yet"
            action={add}
            command={
              <CommandLine
                operation="routers.add"
                input={{ name: 'acme/smart', policy: 'priority', targets: [{ alias: 'acme/fast' }] }}
              />
            }
          >
            <p>
              Add a router to send requests for one model name to several targets. The router selects a target
              by order, weight, cost or speed, and tries the next target if a provider fails.
            </p>
          </Empty>
        }
      />
      {act === 'new' && (
        <Sheet
          isOpen
          onClose={() => setSearch({ act: null })}
          title="Add router"
          about="End users send the router's name as the model. Each bundle can have its own sell price for this name."
        >
          <RouterForm
            onCancel={() => setSearch({ act: null })}
            onDone={(name) => setSearch({ act: null, open: name })}
          />
        </Sheet>
      )}
      {open !== undefined && act !== 'new' && plan === undefined && <RouterSheet key={open} name={open} />}
      {plan !== undefined && act !== 'new' && <DryRunSheet key={plan} name={plan} />}
    </>
  )
}

const columnsOf = (health: HealthOutput | undefined): readonly Column<Router>[] => [
  { id: 'name', head: 'Name', cell: ({ name }) => <Id text={name} className="max-w-56" /> },
  { id: 'policy', head: 'Policy', cell: ({ policy }) => policyWords(policy) },
  {
    id: 'targets',
    head: 'Targets, in order',
    cell: ({ targets }) => {
      const text = targets.map(targetWords).join(', ')
      return (
        <bdi className="inline-block max-w-96 truncate align-bottom" title={text}>
          {text}
        </bdi>
      )
    },
  },
  {
    id: 'attempts',
    head: 'Attempts',
    isNumber: true,
    cell: ({ attempts }) => attempts.attemptsMax,
  },
  {
    id: 'state',
    head: 'Status',
    cell: ({ name }) => <State {...healthOfName(name, health)} />,
  },
  {
    id: 'created',
    head: 'Created',
    isExtra: true,
    cell: ({ createdAt }) => <When at={createdAt} isRealTime />,
  },
]
