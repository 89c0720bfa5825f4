import type { ReactNode } from 'react'
import type { AuditEntry } from '#sdk/generated/types.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { FilterBar } from '#web/ui/filter-bar.tsx'
import { Facts, PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Empty, Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { When } from '#web/ui/formatted-values.tsx'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useRange } from '../../time-range.ts'
import { useSearchText, useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { ChangedFields } from '../../changed-fields.tsx'

const columns: readonly Column<AuditEntry>[] = [
  { id: 'at', head: 'Time', width: '8rem', cell: ({ at }) => <When at={at} /> },
  {
    id: 'actor',
    head: 'Actor',
    cell: ({ actor }) => <bdi title={`${actor.kind} ${actor.id}`}>{actor.label}</bdi>,
  },
  {
    id: 'operation',
    head: 'Operation',
    cell: ({ operation }) => <code className="text-13">{operation}</code>,
  },
  { id: 'resource', head: 'Resource', cell: ({ resource }) => <bdi title={resource}>{resource}</bdi> },
  { id: 'mode', head: 'Mode', isExtra: true, cell: ({ mode }) => mode },
  { id: 'address', head: 'IP address', isExtra: true, cell: ({ actor }) => <bdi>{actor.address}</bdi> },
]

export default function Audit(): ReactNode {
  const isAdmin = useMay('admin')
  return (
    <>
      <PageHead
        title="Audit"
        about="Every change made in your organization, with the values before and after. Entries can't be edited."
        action={<CopyAs operation="audit.list" />}
      />
      {isAdmin ? (
        <Entries />
      ) : (
        <Note title="You can't view the audit log">Viewing the audit log requires the admin role.</Note>
      )}
    </>
  )
}

function Entries(): ReactNode {
  const search = useSearchTexts()
  const setSearch = useSetSearch()
  const [range] = useRange()
  const [open, setOpen] = useSearchText('open')
  const { actorId, operation } = search
  const input = {
    from: range.from,
    to: range.to,
    ...(actorId !== undefined && { actorId }),
    ...(operation !== undefined && { operation }),
  }
  const rows = useRows('audit.list', { ...input, limit: 100 })
  const at = rows.rows?.findIndex(({ id }) => id === open) ?? -1
  const entry = rows.rows?.[at]
  return (
    <>
      <DataTable
        label="Changes"
        name="audit"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpen(id)}
        isChosen={({ id }) => id === open}
        tools={
          <FilterBar
            filters={[
              { name: 'operation', label: 'Operation', kind: 'text' },
              { name: 'actorId', label: 'Actor ID', kind: 'text' },
            ]}
            values={{ operation, actorId }}
            onChange={setSearch}
          />
        }
        empty={
          <Empty
            title="No changes in this range"
            command={<CommandLine operation="audit.list" input={input} />}
          >
            Changes to configuration, keys, grants and the team appear here. Choose a longer range to see
            older changes.
          </Empty>
        }
      />
      {entry && (
        <Sheet
          isOpen
          onClose={() => setOpen(null)}
          onStep={(by) => setOpen(rows.rows?.[at + by]?.id ?? entry.id)}
          title={<code className="text-16">{entry.operation}</code>}
          about={exactTimeText(entry.at)}
        >
          <Facts
            className="mb-6"
            facts={[
              [
                'Actor',
                <bdi key="who">{`${entry.actor.label} (${kinds[entry.actor.kind] ?? entry.actor.kind})`}</bdi>,
              ],
              ['IP address', <bdi key="from">{entry.actor.address}</bdi>],
              ['Resource', <bdi key="to">{entry.resource}</bdi>],
              ['Mode', entry.mode],
              [
                'Request',
                <span key="request" className="inline-flex items-center gap-1">
                  <code className="text-13">{entry.requestId}</code>
                  <CopyButton text={entry.requestId} label="Copy request ID" />
                </span>,
              ],
            ]}
          />
          <h3 className="mb-2 font-semibold">Changes</h3>
          <ChangedFields before={entry.before} after={entry.after} />
        </Sheet>
      )}
    </>
  )
}

const kinds: Readonly<Record<string, string>> = {
  token: 'token',
  member: 'team member',
  end_user: 'end user, in the portal',
}
