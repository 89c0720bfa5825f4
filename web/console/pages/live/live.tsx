import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { DataTable } from '#web/ui/data-table.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { FilterBar } from '#web/ui/filter-bar.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { countText, exactTimeText } from '#web/ui/number-text.ts'
import { Empty, Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { callCard } from '../../calls/request-card.tsx'
import { useCallColumns } from '../../calls/request-columns.tsx'
import { callQuery, useCallFilters } from '../../calls/request-filters.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useFilters } from '../../filters-in-url.ts'
import { NewRowsPill } from '../../new-rows-button.tsx'
import { Go } from '../../shell/console-links.tsx'
import { ringMax } from './newest-requests.ts'
import { useStillness } from './keep-rows-still.ts'
import { useTail, type TailState } from './use-request-tail.ts'

const announcedMs = 5_000

export default function Live(): ReactNode {
  const navigate = useNavigate()
  const filters = useFilters(useCallFilters({ hasOpen: false }))
  const query = callQuery(filters.values)
  const nowMs = useNow(30_000)
  const [isHeld, setHeld] = useState(false)
  const { handlers, isStill, moveOn } = useStillness()
  const columns = useCallColumns(false)
  const isPaused = isHeld || isStill
  const { count, retry, rows, state, waitingCount } = useTail(query, isPaused)
  return (
    <>
      <PageHead
        title="Live"
        about={`The newest ${countText(ringMax)} requests, shown as they finish. Updates pause while you point at a row.`}
        action={
          <>
            <CopyAs operation="requests.tail" input={{ ...query }} />
            <Button onClick={() => setHeld(!isHeld)} aria-pressed={isHeld}>
              {isHeld ? 'Resume' : 'Pause'}
            </Button>
          </>
        }
      />
      {state.kind === 'stopped' && (
        <FailureNote error={state.error} title="The live requests can't be shown." onRetry={retry} />
      )}
      {state.gapSince !== null && (
        <div className="mb-3">
          <Note
            tone="held"
            title="Some requests are not shown"
            action={
              <Go to="/requests" search={{ from: state.gapSince, to: new Date(nowMs).toISOString() }}>
                View in Requests
              </Go>
            }
          >
            The server can't send all requests that finished since {exactTimeText(state.gapSince)}.
          </Note>
        </div>
      )}
      <Announcement count={count} />
      {waitingCount > 0 && (
        <NewRowsPill
          count={countText(waitingCount)}
          onShow={() => {
            setHeld(false)
            moveOn()
          }}
        />
      )}
      <div {...handlers} data-rows>
        <DataTable
          label="Live requests"
          name="live"
          columns={columns}
          card={callCard}
          rows={{ rows }}
          rowKey={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/requests/$id', params: { id } })}
          tools={
            <>
              <Connection state={state} isPaused={isPaused} />
              <FilterBar {...filters} />
            </>
          }
          empty={state.kind !== 'stopped' && <NoCalls hasFilters={Object.keys(filters.values).length > 0} />}
        />
      </div>
    </>
  )
}

function Connection({
  isPaused,
  state: { error, kind },
}: {
  readonly state: TailState
  readonly isPaused: boolean
}): ReactNode {
  const [tone, words] = {
    connecting: ['neutral', 'Connecting'],
    open: isPaused ? ['held', 'Paused'] : ['positive', 'Connected'],
    reconnecting: ['held', 'Reconnecting'],
    stopped: ['negative', 'Stopped'],
  }[kind] as [Parameters<typeof State>[0]['tone'], string]
  return (
    <span role="status" className="text-13">
      <State tone={tone} words={words} {...(error instanceof Error && { title: error.message })} />
    </span>
  )
}

/** Screen readers announce the number at most every five seconds. */
function Announcement({ count }: { readonly count: number }): ReactNode {
  const [said, setSaid] = useState({ count: 0, words: '' })
  const say = useEffectEvent(() =>
    setSaid((before) => {
      const more = count - before.count
      if (more === 0) return before
      return { count, words: more < 0 ? '' : `${more} more ${more === 1 ? 'request' : 'requests'}` }
    }),
  )
  useEffect(() => {
    const timer = setInterval(() => say(), announcedMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <p role="status" aria-live="polite" className="sr-only" data-announced>
      {said.words}
    </p>
  )
}

function NoCalls({ hasFilters }: { readonly hasFilters: boolean }): ReactNode {
  return (
    <Empty
      title={hasFilters ? 'Waiting for a request that matches these filters' : 'Waiting for the next request'}
      action={
        <Go to="/playground" className="text-accent underline underline-offset-2">
          Send a request in the playground
        </Go>
      }
      command={<CommandLine operation="requests.tail" />}
    >
      Requests appear here less than a second after they finish.
    </Empty>
  )
}
