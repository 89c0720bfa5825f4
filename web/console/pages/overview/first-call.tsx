/** Shown in place of empty charts: the next step of the setup, or another range if there were requests before. */
import type { ReactNode } from 'react'
import { buttonClass } from '#web/ui/button.tsx'
import { Button } from '#web/ui/button.tsx'
import { Empty, Note, Skeleton } from '#web/ui/state.tsx'
import { useAnswer } from '../../calls.ts'
import { CommandLine } from '../../copy-as.tsx'
import { useRange } from '../../range.ts'
import { useScope } from '../../scope.ts'
import { useSetSearch } from '../../search.ts'
import { Go } from '../../shell/go.tsx'
import { NeedsAttention } from './needs-attention.tsx'

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
          title="No request ended in this range"
          action={<Button onClick={() => setRange('90d')}>Show the last 90 days</Button>}
        >
          <p>Requests before it are there; choose another range.</p>
        </Empty>
      ) : (
        <Empty
          title="Nothing was used yet"
          action={
            <Go to="/onboarding" className={buttonClass('primary')}>
              Go to the first request
            </Go>
          }
          command={<CommandLine operation="onboarding.status" />}
        >
          <p>
            What end users use, what it costs you and what is left will be here. Six steps lead to the first
            request; each is ticked when the server sees that it works.
          </p>
        </Empty>
      )}
      {isElsewhere && (
        <Note
          title={`There are requests in ${other} mode`}
          action={
            <Button onClick={() => setSearch({ mode: other === 'test' ? 'test' : null }, true)}>
              Switch to {other} mode
            </Button>
          }
        >
          <p>You are looking at {mode} mode, which has none yet.</p>
        </Note>
      )}
      <NeedsAttention />
    </div>
  )
}
