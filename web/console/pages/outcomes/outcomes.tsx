import type { ReactNode } from 'react'
import type { Outcome } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Id, Money, When } from '#web/ui/formatted-values.tsx'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useSearchText, useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { stepper } from '../../open-neighbor-row.ts'
import { DefineOutcome } from './define-outcome-form.tsx'
import { OutcomeSheet } from './outcome-sheet.tsx'

export default function Outcomes(): ReactNode {
  const { act } = useSearchTexts()
  const setSearch = useSetSearch()
  const [openSlug, setOpen] = useSearchText('open')
  const mayChange = useMay('developer')
  const rows = useRows('outcomes.list', {})
  const define = mayChange && (
    <Button kind="primary" onClick={() => setSearch({ act: 'new' })}>
      Define outcome
    </Button>
  )
  return (
    <>
      <PageHead
        title="Outcomes"
        about="An outcome is a goal, such as a report, that takes several requests. Each run has one spend ceiling."
        action={
          <>
            <CopyAs operation="outcomes.list" />
            {define}
          </>
        }
      />
      <DataTable
        label="Outcomes"
        name="outcomes"
        columns={columns}
        rows={rows}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => setOpen(slug)}
        isChosen={({ slug }) => slug === openSlug}
        empty={
          <Empty
            title="No outcomes yet"
            action={define}
            command={
              <CommandLine
                operation="outcomes.add"
                input={{ slug: 'report', displayName: 'Report', ceilingMicros: '2000000' }}
              />
            }
          >
            Outcomes and their total spend appear here. Define an outcome. Then send the slug of the outcome
            and the ID of a run in the field <code>svc</code> of your requests. The ceiling limits the spend
            of each run.
          </Empty>
        }
      />
      {act === 'new' && <DefineOutcome onClose={() => setSearch({ act: null })} />}
      {openSlug !== null && (
        <OutcomeSheet
          slug={openSlug}
          onClose={() => setOpen(null)}
          onStep={stepper(rows.rows, ({ slug }) => slug, openSlug, setOpen)}
        />
      )}
    </>
  )
}

const columns: readonly Column<Outcome>[] = [
  { id: 'slug', head: 'Outcome', cell: ({ slug }) => <Id text={slug} /> },
  {
    id: 'name',
    head: 'Name',
    cell: ({ displayName }) => (
      <bdi className="block max-w-72 truncate" title={displayName}>
        {displayName}
      </bdi>
    ),
  },
  { id: 'runs', head: 'Runs', isNumber: true, cell: ({ runs }) => <Count of={runs} /> },
  {
    id: 'spent',
    head: 'Total spent',
    isNumber: true,
    cell: ({ spentMicros }) => <Money micros={spentMicros} aligned />,
  },
  {
    id: 'ceiling',
    head: 'Ceiling',
    unit: 'per run',
    isNumber: true,
    cell: ({ ceilingMicros }) => <Money micros={ceilingMicros} aligned />,
  },
  {
    id: 'state',
    head: 'Status',
    cell: ({ archivedAt }) =>
      archivedAt === null ? (
        <State tone="positive" words="Active" />
      ) : (
        <State tone="neutral" words="Archived" />
      ),
  },
  { id: 'created', head: 'Created', cell: ({ createdAt }) => <When at={createdAt} isRealTime /> },
]
