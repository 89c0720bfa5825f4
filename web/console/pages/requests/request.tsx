import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { NotFoundError } from '#sdk/errors.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Empty, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { CallState } from '../../calls/request-outcome.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useSearchText } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { Go } from '../../shell/console-links.tsx'
import { Explanation } from './explain/explanation-of-request.tsx'
import type { Told } from './explain/waterfall-phases.ts'
import { RefundDialog } from './refund-dialog.tsx'

export default function RequestPage(): ReactNode {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false })
  const { data, error, refetch } = useAnswer('requests.explain', { id })
  const mayChange = useMay('developer')
  const [act, setAct] = useSearchText('act')
  const leftMicros = data ? leftOf(data) : 0n
  const canRefund = mayChange && leftMicros > 0n
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
        action={
          <>
            {canRefund && <Button onClick={() => setAct('refund')}>Refund request</Button>}
            <CopyAs operation="requests.explain" input={{ id }} />
          </>
        }
      />
      {error !== null && <Failed id={id} error={error} onRetry={() => void refetch()} />}
      {error === null && !data && (
        <div className="flex flex-col gap-4" aria-busy>
          <Skeleton className="h-14 max-w-prose" />
          <Skeleton className="h-64" />
        </div>
      )}
      {error === null && data && <Explanation told={data} />}
      {act === 'refund' && canRefund && (
        <RefundDialog id={id} leftMicros={leftMicros} onClose={() => setAct(null)} />
      )}
    </>
  )
}

function Failed({
  error,
  id,
  onRetry,
}: {
  readonly id: string
  readonly error: unknown
  readonly onRetry: () => void
}): ReactNode {
  if (!(error instanceof NotFoundError))
    return <FailureNote error={error} title="This request couldn't be loaded." onRetry={onRetry} />
  return (
    <Empty title="Request not found" command={<CommandLine operation="requests.list" />}>
      No request has the ID <bdi className="wrap-anywhere">{id}</bdi> in this mode of this application. The
      request may belong to the other mode or to another application.
    </Empty>
  )
}

function leftOf({ chargeMicros, corrections }: Told): bigint {
  return corrections.reduce((sum, correction) => sum + BigInt(correction.chargeMicros), BigInt(chargeMicros))
}
