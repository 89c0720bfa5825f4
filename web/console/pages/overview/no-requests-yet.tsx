/** Offers another range if earlier requests exist. */
import type { ReactNode } from 'react'
import { buttonClass } from '#web/ui/button.tsx'
import { Button } from '#web/ui/button.tsx'
import { Empty, Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { CommandLine } from '../../copy-as-code.tsx'
import { useRange } from '../../time-range.ts'
import { useScope } from '../../application-and-mode.ts'
import { useSetSearch } from '../../url-parameters.ts'
import { Go } from '../../shell/console-links.tsx'
import { NeedsAttention } from './list-of-open-problems.tsx'

export function FirstCall(): ReactNode {
  const [, setRange] = useRange()
  const { app, mode } = useScope()
  const other = mode === 'test' ? 'live' : 'test'
  const latest = useAnswer('requests.list', { limit: 1 })
  const hasCalls = (latest.data?.data.length ?? 0) > 0
  const elsewhere = useAnswer(
    'requests.list',
    { limit: 1 },
    { isEnabled: latest.isSuccess && !hasCalls, scope: { app, mode: other } },
  )
  const setSearch = useSetSearch()
  if (latest.isPending) return <Skeleton className="h-40" />
  const isElsewhere = !hasCalls && (elsewhere.data?.data.length ?? 0) > 0
  return (
    <div className="flex flex-col gap-12">
      {hasCalls ? (
        <Empty
          title="No requests in this range"
          action={<Button onClick={() => setRange('90d')}>Show the last 90 days</Button>}
        >
          <p>This mode has requests outside the selected range. Choose a longer range.</p>
        </Empty>
      ) : (
        <Empty
          title="No usage yet"
          action={
            <Go to="/onboarding" className={buttonClass('primary')}>
              Send your first request
            </Go>
          }
          command={<CommandLine operation="onboarding.status" />}
        >
          <p>
            Usage, provider cost and margin appear here. Complete six steps to send your first request. Each
            step is checked off when the server detects that the step is complete.
          </p>
        </Empty>
      )}
      {isElsewhere && (
        <Note
          title={`You have requests in ${other} mode`}
          action={
            <Button onClick={() => setSearch({ mode: other === 'test' ? 'test' : null }, true)}>
              Switch to {other} mode
            </Button>
          }
        >
          <p>You are viewing {mode} mode, which has no requests yet.</p>
        </Note>
      )}
      <NeedsAttention />
    </div>
  )
}
