import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Outcome, OutcomeRun } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts, Section } from '#web/ui/page-head-and-sections.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Skeleton, State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Count, Id, Money, When } from '#web/ui/formatted-values.tsx'
import { useAnswer, useChange, useRows } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChoiceFilter } from '../../filter-fields.tsx'
import { useSearchTexts } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { UserLink } from '../../shell/console-links.tsx'
import { OutcomeForm } from './define-outcome-form.tsx'
import { FinishRun } from './finish-run-dialog.tsx'
import { SpentOfCeiling } from './spent-of-ceiling.tsx'

export function OutcomeSheet({
  onClose,
  onStep,
  slug,
}: {
  readonly slug: string
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}): ReactNode {
  const { data: outcome, error, refetch } = useAnswer('outcomes.show', { slug })
  return (
    <Sheet
      isOpen
      onClose={onClose}
      onStep={onStep}
      title={outcome ? <bdi>{outcome.displayName}</bdi> : 'Outcome'}
      about={<code>{slug}</code>}
    >
      {error && !outcome && <FailureNote error={error} onRetry={() => void refetch()} />}
      {outcome ? <Detail key={outcome.slug} of={outcome} /> : !error && <Skeleton className="h-48" />}
    </Sheet>
  )
}

function Detail({ of: outcome }: { readonly of: Outcome }): ReactNode {
  const mayChange = useMay('developer')
  const [isEditing, setEditing] = useState(false)
  const [isArchiving, setArchiving] = useState(false)
  const archive = useChange('outcomes.rm')
  const queries = useQueryClient()
  const { archivedAt, ceilingMicros, createdAt, runs, slug, spentMicros } = outcome
  return (
    <>
      {isEditing ? (
        <Section title="Name and ceiling">
          <OutcomeForm of={outcome} onDone={() => setEditing(false)} />
        </Section>
      ) : (
        <Facts
          className="mb-4"
          facts={[
            [
              'Status',
              archivedAt === null ? (
                <State key="state" tone="positive" words="Active" />
              ) : (
                <State key="state" tone="neutral" words="Archived: requests are rejected" />
              ),
            ],
            [
              'Ceiling',
              <>
                <Money micros={ceilingMicros} /> per run
              </>,
            ],
            [
              'Spent',
              <>
                <Money micros={spentMicros} /> in <Count of={runs} /> runs
              </>,
            ],
            ['Created', <When key="at" at={createdAt} isRealTime />],
          ]}
        />
      )}
      {mayChange && !isEditing && (
        <div className="mb-8 flex flex-wrap gap-2">
          <Button size="small" onClick={() => setEditing(true)}>
            {archivedAt === null ? 'Edit outcome' : 'Restore outcome'}
          </Button>
          {archivedAt === null && (
            <Button size="small" kind="danger" onClick={() => setArchiving(true)}>
              Archive outcome
            </Button>
          )}
          <CopyAs operation="outcomes.rm" input={{ slug }} words="API request to archive the outcome" />
        </div>
      )}
      <Runs of={outcome} />
      <Confirm
        isOpen={isArchiving}
        onClose={() => setArchiving(false)}
        title={
          <>
            Archive <code>{slug}</code>?
          </>
        }
        action="Archive outcome"
        onConfirm={async () => {
          await archive.mutateAsync({ slug })
          // An archived outcome still exists, so reload the data.
          await queries.invalidateQueries({ queryKey: ['outcomes'] })
          toast(`Archived ${slug}. New requests are rejected.`)
        }}
      >
        <p>
          New requests that name this outcome will be rejected. Requests in progress will finish and will be
          charged.
        </p>
        <p>The outcome and its runs remain listed, and you can restore the outcome later.</p>
      </Confirm>
    </>
  )
}

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  running: ['positive', 'Running'],
  capped: ['held', 'Capped'],
  done: ['neutral', 'Done'],
  failed: ['negative', 'Failed'],
}

function Runs({ of: outcome }: { readonly of: Outcome }): ReactNode {
  const { runs: status } = useSearchTexts()
  const mayChange = useMay('developer')
  const [ending, setEnding] = useState<OutcomeRun | null>(null)
  const input = {
    slug: outcome.slug,
    ...(status !== undefined && { status: status as 'running' }),
  }
  const rows = useRows('outcomes.runs', input, { everyMs: 5000 })
  const columns: readonly Column<OutcomeRun>[] = [
    { id: 'run', head: 'Run', cell: ({ id }) => <Id text={id} className="block max-w-40" /> },
    {
      id: 'user',
      head: 'End user',
      cell: ({ endUserId }) => (
        <span className="block max-w-32 truncate" title={endUserId}>
          <UserLink id={endUserId} />
        </span>
      ),
    },
    {
      id: 'state',
      head: 'Status',
      cell: (run) => {
        const [tone, words] = states[run.status] ?? ['neutral', run.status]
        return <State tone={tone} words={words} />
      },
    },
    { id: 'calls', head: 'Requests', isNumber: true, cell: ({ calls }) => <Count of={calls} /> },
    {
      id: 'spent',
      head: 'Spent',
      isNumber: true,
      cell: ({ spentMicros }) => (
        <SpentOfCeiling spentMicros={spentMicros} ceilingMicros={outcome.ceilingMicros} />
      ),
    },
    { id: 'last', head: 'Last request', cell: ({ lastCallAt }) => <When at={lastCallAt} /> },
    {
      id: 'end',
      head: 'Action',
      cell: (run) =>
        mayChange && (run.status === 'running' || run.status === 'capped') ? (
          <Button
            size="small"
            kind="quiet"
            aria-label={`Finish run ${run.id}`}
            onClick={() => setEnding(run)}
          >
            Finish
          </Button>
        ) : null,
    },
  ]
  return (
    <Section title="Runs">
      <DataTable
        label="Runs"
        name="runs"
        columns={columns}
        rows={rows}
        rowKey={({ endUserId, id }) => `${endUserId} ${id}`}
        tools={
          <>
            <ChoiceFilter
              name="runs"
              label="Status of runs"
              options={[
                ['', 'All statuses'],
                ...Object.entries(states).map(([one, [, words]]) => [one, words] as const),
              ]}
            />
            <CopyAs operation="outcomes.runs" input={input} />
          </>
        }
        empty={
          <p className="py-4 text-14 text-ink-2">
            {status === undefined
              ? 'No runs yet. A run appears here with the first request that names this outcome.'
              : 'No runs have this status.'}
          </p>
        }
      />
      {ending !== null && <FinishRun slug={outcome.slug} run={ending} onClose={() => setEnding(null)} />}
    </Section>
  )
}
