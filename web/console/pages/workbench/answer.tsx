import type { ReactNode } from 'react'
import { CodeBlock, CopyButton } from '#web/ui/copy.tsx'
import { State } from '#web/ui/state.tsx'
import { Duration, Nothing } from '#web/ui/values.tsx'
import { linesMax, type Ran } from './run.ts'

/** What came: its status, how long it took, the request to quote, and the answer as it is. */
export function Answer({ ran }: { readonly ran: Ran }): ReactNode {
  const { id, isCut, ms, requestId, text } = ran
  return (
    <section aria-label="Answer" className="flex flex-col gap-2">
      <h3 className="sr-only">Answer of {id}</h3>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-13 text-ink-2">
        <Status ran={ran} />
        <Duration ms={ms} />
        {requestId === null ? (
          <Nothing reason="No request id came" />
        ) : (
          <span className="inline-flex items-center gap-1">
            <code>{requestId}</code>
            <CopyButton text={requestId} label="Copy the request id" />
          </span>
        )}
      </div>
      <CodeBlock label={`Answer of ${id}`} text={text === '' ? '(nothing)' : text} />
      {isCut && (
        <p className="text-13 text-ink-3">It was stopped there: at most {linesMax} lines are shown here.</p>
      )}
    </section>
  )
}

function Status({ ran: { status } }: { readonly ran: Ran }): ReactNode {
  if (status === null) return <State tone="negative" words="no answer" />
  return <State tone={status < 300 ? 'positive' : 'negative'} words={String(status)} />
}

/** What was run on this page since it was opened; nothing of it is kept. */
export function History({
  history,
  onShow,
  shown,
}: {
  readonly history: readonly Ran[]
  readonly shown: Ran | null
  readonly onShow: (ran: Ran) => void
}): ReactNode {
  if (history.length === 0) return null
  return (
    <section className="border-t border-line pt-4">
      <h3 className="mb-2 text-14 font-semibold">Run here before</h3>
      <ul>
        {history.map((ran, at) => (
          <li
            // oxlint-disable-next-line react/no-array-index-key -- the newest comes first, and none goes between
            key={history.length - at}
            className="flex flex-wrap items-center gap-x-4 border-b border-line py-1 text-13"
          >
            <button
              type="button"
              className="min-h-6 font-mono text-accent underline underline-offset-2"
              aria-current={ran === shown ? 'true' : undefined}
              onClick={() => onShow(ran)}
            >
              {ran.id}
            </button>
            <Status ran={ran} />
            <Duration ms={ran.ms} />
            <span className="text-ink-3">
              {ran.scope.mode}
              {ran.scope.app !== null && `, ${ran.scope.app}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
