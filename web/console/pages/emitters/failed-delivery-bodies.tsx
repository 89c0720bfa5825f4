import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'

export function DeliveryBodies({
  batchId,
  id,
  onClose,
}: {
  readonly id: string
  readonly batchId: string
  readonly onClose: () => void
}): ReactNode {
  const { data, error, refetch } = useAnswer('emitters.delivery', { id, batchId })
  return (
    <section aria-label="Failed delivery" className="flex min-w-0 flex-col gap-3 border-y border-line py-4">
      <div className="flex items-center justify-between gap-3">
        <h3 className="text-14 font-medium">Failed delivery</h3>
        <div className="flex gap-2">
          <CopyAs operation="emitters.delivery" input={{ id, batchId }} />
          <Button size="small" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
      {error && !data && (
        <FailureNote error={error} title="The delivery can't be shown." onRetry={() => void refetch()} />
      )}
      {data && data.requestBody === null && (
        <p className="text-14 text-ink-2">Bodies are kept for seven days, and only if the delivery failed.</p>
      )}
      {data?.reason && <p className="text-14 text-ink-2">{data.reason}</p>}
      {data && data.requestBody !== null && <CodeBlock label="Request body" text={data.requestBody} />}
      {data && data.responseBody !== null && data.responseBody !== '' && (
        <CodeBlock label="Response body" text={data.responseBody} />
      )}
    </section>
  )
}
