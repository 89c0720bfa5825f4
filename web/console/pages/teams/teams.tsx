import type { ReactNode } from 'react'
import type { EndUserTeam } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Id, Money, When } from '#web/ui/formatted-values.tsx'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { stepper } from '../../open-neighbor-row.ts'
import { useRows } from '../../operations/use-operation.ts'
import { useSearchText, useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { UserLink } from '../../shell/console-links.tsx'
import { useMay } from '../../sign-in/member-session.ts'
import { CreateTeam } from './create-and-rename-team-forms.tsx'
import { TeamSheet } from './team-sheet.tsx'

export default function Teams(): ReactNode {
  const { act } = useSearchTexts()
  const setSearch = useSetSearch()
  const [openSlug] = useSearchText('open')
  const show = (slug: string | null): void => setSearch({ open: slug, act: null })
  const mayChange = useMay('developer')
  const rows = useRows('teams.list', {})
  const create = mayChange && (
    <Button kind="primary" onClick={() => setSearch({ act: 'new' })}>
      Create team
    </Button>
  )
  return (
    <>
      <PageHead
        title="Teams"
        about="A team is a group of end users who spend from the wallet of one end user, the payer."
        action={
          <>
            <CopyAs operation="teams.list" />
            {create}
          </>
        }
      />
      <DataTable
        label="Teams"
        name="teams"
        columns={columns}
        rows={rows}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => show(slug)}
        isChosen={({ slug }) => slug === openSlug}
        empty={
          <Empty
            title="No teams yet"
            action={create}
            command={
              <CommandLine
                operation="teams.add"
                input={{ slug: 'labs', displayName: 'Acme Labs', payer: 'acme-labs' }}
              />
            }
          >
            Teams and their spending appear here. Create a team for the employees of a company that buys from
            you. Each member can have a cap per month.
          </Empty>
        }
      />
      {act === 'new' && <CreateTeam onClose={() => setSearch({ act: null })} />}
      {openSlug !== null && (
        <TeamSheet
          slug={openSlug}
          onClose={() => show(null)}
          onStep={stepper(rows.rows, ({ slug }) => slug, openSlug, show)}
        />
      )}
    </>
  )
}

const columns: readonly Column<EndUserTeam>[] = [
  { id: 'slug', head: 'Team', cell: ({ slug }) => <Id text={slug} /> },
  {
    id: 'name',
    head: 'Name',
    cell: ({ displayName }) => (
      <bdi className="block max-w-72 truncate" title={displayName}>
        {displayName}
      </bdi>
    ),
  },
  {
    id: 'payer',
    head: 'Payer',
    cell: ({ payer }) => (
      <span className="block max-w-40 truncate" title={payer}>
        <UserLink id={payer} />
      </span>
    ),
  },
  { id: 'members', head: 'Members', isNumber: true, cell: ({ members }) => <Count of={members} /> },
  {
    id: 'spent',
    head: 'Spent',
    unit: 'this month',
    isNumber: true,
    cell: ({ spentMicros }) => <Money micros={spentMicros} aligned />,
  },
  {
    id: 'balance',
    head: 'Balance of the payer',
    isNumber: true,
    cell: ({ balanceUnits }) => <Money micros={balanceUnits} aligned />,
  },
  { id: 'created', head: 'Created', cell: ({ createdAt }) => <When at={createdAt} isRealTime /> },
]
