import type { ReactNode } from 'react'
import type { Application } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { microsOfText } from '#web/ui/money-text.ts'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Id, Money, When } from '#web/ui/formatted-values.tsx'
import { useAct } from '../../open-form-in-url.ts'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useScope } from '../../application-and-mode.ts'
import { useSearchText, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { useApp } from '../../shell/application-and-mode-switcher.tsx'
import { AppSheet } from './application-sheet.tsx'
import { CreateApp } from './create-application-form.tsx'

export default function Apps(): ReactNode {
  const { mode } = useScope()
  const rows = useRows('apps.list', { limit: 200 }, { scope: { app: null, mode } })
  const shown = useApp()
  const may = useMay('admin')
  const [isCreating, create, endCreate] = useAct()
  const [open, setOpen] = useSearchText('open')
  const setSearch = useSetSearch()
  const at = rows.rows?.findIndex(({ slug }) => slug === open) ?? -1
  const app = rows.rows?.[at]
  const columns: readonly Column<Application>[] = [
    { id: 'name', head: 'Name', cell: ({ name }) => <bdi title={name}>{name}</bdi> },
    {
      id: 'state',
      head: 'State',
      cell: ({ archivedAt, slug }) =>
        archivedAt !== null ? (
          <State tone="neutral" words="archived" title={archivedAt} />
        ) : slug === shown?.slug ? (
          <State tone="positive" words="in view" title="The console shows this application" />
        ) : (
          <State tone="neutral" words="active" />
        ),
    },
    {
      id: 'gateway',
      head: 'Gateway',
      cell: ({ gateway }) => <Id text={gateway} className="inline-block max-w-full align-bottom" />,
    },
    {
      id: 'portal',
      head: 'Portal',
      isExtra: true,
      cell: ({ portal }) => <Id text={portal} className="inline-block max-w-full align-bottom" />,
    },
    { id: 'users', head: 'End users', isNumber: true, cell: ({ endUsers }) => <Count of={endUsers} /> },
    { id: 'keys', head: 'Keys', isNumber: true, cell: ({ keys }) => <Count of={keys} /> },
    { id: 'names', head: 'Models', isNumber: true, cell: ({ models }) => <Count of={models.length} /> },
    { id: 'bundles', head: 'Bundles', isNumber: true, cell: ({ bundles }) => <Count of={bundles.length} /> },
    {
      id: 'cost',
      head: 'Cost',
      unit: mode,
      isNumber: true,
      cell: ({ costUsd }) => <Money micros={microsOfText(costUsd)} aligned />,
    },
    { id: 'made', head: 'Created', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
  ]
  const action = (
    <Button
      kind="primary"
      onClick={create}
      disabled={!may}
      title={may ? undefined : 'Creating applications requires the admin role.'}
    >
      Create application
    </Button>
  )
  return (
    <>
      <PageHead
        title="Applications"
        about="Your products. Each application has a gateway for requests and a portal for end users."
        action={
          <>
            <CopyAs operation="apps.list" />
            {action}
          </>
        }
      />
      <DataTable
        label="Applications"
        name="apps"
        columns={columns}
        rows={rows}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => setOpen(slug)}
        isChosen={({ slug }) => slug === open}
        empty={
          <Empty
            title="No applications yet"
            action={action}
            command={<CommandLine operation="apps.create" input={{ slug: 'acme', name: 'Acme Assistant' }} />}
          >
            Create an application to get a gateway and a portal, and to add end users, keys, models and
            bundles.
          </Empty>
        }
      />
      {isCreating && (
        <CreateApp
          apps={rows.rows ?? []}
          onClose={endCreate}
          onMade={({ slug }) => setSearch({ act: null, open: slug })}
        />
      )}
      {app && !isCreating && (
        <AppSheet
          key={app.slug}
          app={app}
          isShown={app.slug === shown?.slug}
          onClose={() => setSearch({ open: null, act: null })}
          onStep={(by) => setOpen(rows.rows?.[at + by]?.slug ?? app.slug)}
        />
      )}
    </>
  )
}
