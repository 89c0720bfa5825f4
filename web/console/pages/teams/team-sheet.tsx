import { useState, type ReactNode } from 'react'
import type { EndUserTeam, EndUserTeamMember, RateLimit } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { Facts, Section } from '#web/ui/page-head-and-sections.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Count, Id, Money, When } from '#web/ui/formatted-values.tsx'
import { ConfirmedChange } from '../../button-with-confirmation.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { RevisedSheet } from '../../resource-sheet-with-forms.tsx'
import { useRevised, type Revised } from '../../forms-with-revision.tsx'
import { LimitsSection } from '../../limits/limits-section.tsx'
import { useChange, useRows } from '../../operations/use-operation.ts'
import { useSetSearch } from '../../url-parameters.ts'
import type { CallSearch } from '../../calls/request-filters.ts'
import { Go, UserLink } from '../../shell/console-links.tsx'
import { useMay } from '../../sign-in/member-session.ts'
import { MemberForm } from './team-member-form.tsx'
import { RenameTeam } from './create-and-rename-team-forms.tsx'

export function TeamSheet({
  onClose,
  onStep,
  slug,
}: {
  readonly slug: string
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}): ReactNode {
  const setSearch = useSetSearch()
  const query = useRevised('teams.show', { slug })
  const back = (): void => setSearch({ act: null })
  return (
    <RevisedSheet
      query={query}
      noun="teams"
      title={query.data?.value.displayName ?? slug}
      fault="The team can't be shown."
      forms={{ rename: { form: (team, ends) => <RenameTeam team={team} {...ends} /> } }}
      onBack={back}
      onClose={onClose}
      onStep={onStep}
    >
      {(team) => <Detail key={slug} of={team} onGone={onClose} />}
    </RevisedSheet>
  )
}

function Detail({
  of: { ifMatch, value: team },
  onGone,
}: {
  readonly of: Revised<EndUserTeam>
  readonly onGone: () => void
}): ReactNode {
  const setSearch = useSetSearch()
  const mayChange = useMay('developer')
  const add = useChange('teams.add')
  const { displayName, limits, limitUses, slug } = team
  const withLimits = (next: RateLimit[]) => ({ slug, limits: next })
  return (
    <>
      <Facts
        className="mb-4"
        facts={[
          ['Slug', <Id key="slug" text={slug} />],
          [
            'Payer',
            <span key="payer" className="block truncate">
              <UserLink id={team.payer} />
            </span>,
          ],
          ['Balance of the payer', <Money key="balance" micros={team.balanceUnits} />],
          ['Held for requests in flight', <Money key="held" micros={team.reservedUnits} />],
          ['Spent by members this month', <Money key="spent" micros={team.spentMicros} />],
          ['Members', <Count key="members" of={team.members} />],
          ...team.pools.map((pool): [string, ReactNode] => [
            `Shared: ${pool.displayName}`,
            <span key={`${pool.slug} ${pool.grantedMicros}`}>
              <Money micros={pool.consumedMicros} /> used of <Money micros={pool.grantedMicros} />, at most{' '}
              <Money micros={pool.memberCapMicros} /> for each member
            </span>,
          ]),
          [
            'Usage',
            <span key="usage" className="flex flex-wrap gap-x-4">
              <Go to="/explore" search={{ team: slug }} className="py-1 hover:underline">
                By model
              </Go>
              <Go
                to="/requests"
                search={{ team: slug } satisfies CallSearch}
                className="py-1 hover:underline"
              >
                Requests
              </Go>
            </span>,
          ],
          ['Created', <When key="created" at={team.createdAt} isRealTime />],
        ]}
      />
      {mayChange && (
        <div className="mb-8 flex flex-wrap gap-2">
          <Button onClick={() => setSearch({ act: 'rename' })}>Rename team</Button>
          <ConfirmedChange
            operation="teams.rm"
            input={{ slug }}
            ifMatch={ifMatch}
            action="Delete team"
            code="API request to delete the team"
            title={<bdi>{`Delete ${displayName}?`}</bdi>}
            onDone={() => {
              toast('Team deleted.')
              onGone()
            }}
          >
            <p>New requests of the members are paid from their own money only. Requests in flight finish.</p>
            <p>The payer keeps the balance. The members remain end users.</p>
          </ConfirmedChange>
        </div>
      )}
      <Members slug={slug} />
      <LimitsSection
        title={`Limits of ${slug}`}
        about="Limits of all members together, counted separately in live and test mode. Requests of the payer do not count."
        empty="No limits for this team."
        note="A request counts in the window in which it is admitted."
        limits={limits}
        uses={limitUses}
        mayChange={mayChange}
        ifMatch={ifMatch}
        save={(next, revision) => add.mutateAsync({ ...withLimits(next), ...revision })}
        operation="teams.add"
        inputOf={withLimits}
      />
    </>
  )
}

function Members({ slug }: { readonly slug: string }): ReactNode {
  const mayChange = useMay('developer')
  const [edited, setEdited] = useState<EndUserTeamMember | 'new' | null>(null)
  const [leaving, setLeaving] = useState<EndUserTeamMember | null>(null)
  const remove = useChange('teams.removeMember')
  const rows = useRows('teams.members', { slug })
  const columns: readonly Column<EndUserTeamMember>[] = [
    {
      id: 'member',
      head: 'Member',
      cell: ({ endUserId }) => (
        <span className="block max-w-40 truncate" title={endUserId}>
          <UserLink id={endUserId} />
        </span>
      ),
    },
    {
      id: 'spent',
      head: 'Spent',
      unit: 'this month',
      isNumber: true,
      cell: ({ spentMicros }) => <Money micros={spentMicros} aligned />,
    },
    {
      id: 'held',
      head: 'Held',
      isNumber: true,
      cell: ({ heldMicros }) => <Money micros={heldMicros} aligned />,
    },
    {
      id: 'cap',
      head: 'Cap',
      unit: 'per month',
      isNumber: true,
      cell: ({ capMicros }) => (capMicros === null ? 'No cap' : <Money micros={capMicros} aligned />),
    },
    {
      id: 'pools',
      head: 'From pools',
      isNumber: true,
      cell: ({ pools }) =>
        pools.map(({ slug: pool, spentMicros }) => (
          <span key={pool} className="block">
            {pool} <Money micros={spentMicros} />
          </span>
        )),
    },
    {
      id: 'change',
      head: 'Action',
      cell: (member) =>
        mayChange && (
          <span className="flex gap-1">
            <Button
              size="small"
              kind="quiet"
              aria-label={`Change cap of ${member.endUserId}`}
              onClick={() => setEdited(member)}
            >
              Change cap
            </Button>
            <Button
              size="small"
              kind="quiet"
              aria-label={`Remove ${member.endUserId}`}
              onClick={() => setLeaving(member)}
            >
              Remove
            </Button>
          </span>
        ),
    },
  ]
  return (
    <Section
      title="Members"
      action={
        mayChange && (
          <Button size="small" onClick={() => setEdited('new')}>
            Add member
          </Button>
        )
      }
    >
      <DataTable
        label="Members"
        name="members"
        columns={columns}
        rows={rows}
        rowKey={({ endUserId }) => endUserId}
        tools={<CopyAs operation="teams.members" input={{ slug }} />}
        empty={
          <p className="py-4 text-14 text-ink-2">No members yet. Members spend from the payer's wallet.</p>
        }
      />
      {edited !== null && (
        <MemberForm slug={slug} member={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
      {leaving !== null && (
        <Confirm
          isOpen
          onClose={() => setLeaving(null)}
          title={<bdi>{`Remove ${leaving.endUserId}?`}</bdi>}
          action="Remove member"
          onConfirm={async () => {
            await remove.mutateAsync({ slug, externalId: leaving.endUserId })
            toast('Member removed.')
            setLeaving(null)
          }}
        >
          <p>New requests are paid from the end user's own money only.</p>
          <p>Requests in flight settle with the payer's wallet.</p>
        </Confirm>
      )}
    </Section>
  )
}
