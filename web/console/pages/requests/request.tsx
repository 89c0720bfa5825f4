/** Why a call cost what it cost, or why it was refused. */
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/layout.tsx'
import { Skeleton } from '#web/ui/state.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { CallState } from '../../call-state.tsx'
import { useAnswer } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { Go } from '../../shell/go.tsx'
import { Explanation } from './explain/explanation.tsx'

export default function RequestPage(): ReactNode {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false })
  const { data, error, refetch } = useAnswer('requests.explain', { id })
  return (
    <>
      <PageHead
        before={<Go to="/requests">Requests</Go>}
        title="Request"
        about={
          data && (
            <span className="flex flex-wrap items-center gap-x-3">
              <CallState call={data} />
              <span>{[data.wire, data.streamed === true && 'streamed'].filter(Boolean).join(', ')}</span>
              <time dateTime={data.createdAt}>{exactTimeText(data.createdAt)}</time>
            </span>
          )
        }
        action={<CopyAs operation="requests.explain" input={{ id }} />}
      />
      {error !== null && (
        <FailureNote error={error} title="This call cannot be shown." onRetry={() => void refetch()} />
      )}
      {error === null && !data && (
        <div className="flex flex-col gap-4" aria-busy>
          <Skeleton className="h-14 max-w-prose" />
          <Skeleton className="h-64" />
        </div>
      )}
      {error === null && data && <Explanation told={data} />}
    </>
  )
}
